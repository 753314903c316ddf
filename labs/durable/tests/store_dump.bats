# store_dump.bats - twbench stores dump: what a wheel-log's files hold, what is damaged, and what is no store.
#
# tests/stores/wheel-log-1 is a directory as format version 1 left it when its process was killed: it is never made again.

load ../../../tests/cli/support

kept() {
    cp -r "$root/labs/durable/tests/stores/wheel-log-1" store
}

# flip FILE OFFSET - another byte there.
flip() {
    printf '\xa5' | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

@test "a store of format version 1 is printed record by record" {
    kept
    run "$twbench" stores dump store
    [ "$status" -eq 0 ]
    [ "$output" = "$(cat "$root/labs/durable/tests/stores/wheel-log-1.txt")" ]
}

@test "a damaged entry, payload, header and checkpoint are named, with exit status 1" {
    for place in "log-0000000000000000 70 bytes are no record" "log-0000000000000000 95 payload: checksum differs" \
        "log-0000000000000000 20 header: checksum differs" "checkpoint-1 100 checkpoint: header: checksum differs"; do
        rm -rf store
        kept
        read -r file offset what <<<"$place"
        flip "store/$file" "$offset"
        run "$twbench" stores dump store
        [ "$status" -eq 1 ]
        [[ $output == *"damaged: $file at "*"$what"* ]]
        [ "$(grep -c damaged <<<"$output")" -eq 1 ]
    done
}

@test "zeros behind the log are its end, and a byte among them is damage" {
    kept
    truncate -s +70000 store/log-0000000000000000
    run "$twbench" stores dump store
    [ "$status" -eq 0 ]
    [ "${output#*$'\n'}" = "$(tail -n +2 "$root/labs/durable/tests/stores/wheel-log-1.txt")" ]
    flip store/log-0000000000000000 300
    run "$twbench" stores dump store
    [ "$status" -eq 1 ]
    [[ $output == *"damaged: log-0000000000000000 at 267: 34 bytes are no record"* ]]
}

@test "what is no wheel-log is refused with exit status 2" {
    mkdir empty
    refuses "no file of a wheel-log is in it" stores dump empty
    refuses "nowhere" stores dump nowhere
    refuses "stores dump DIR" stores dump
}

@test "a segment that is missing, empty or cut is named, with what it held at most" {
    # Four segments of two messages each.
    segment=store/log-00000000000002f2
    for change in "rm $segment" "truncate -s 0 $segment" "truncate -s 400 $segment" "rm store/log-0000000000000000"; do
        rm -rf store
        cp -r "$root/labs/durable/tests/stores/wheel-log-segments" store
        run "$twbench" stores dump store
        [ "$status" -eq 0 ]
        $change
        run "$twbench" stores dump store
        [ "$status" -eq 1 ]
        [[ $output == *"damaged: log-"*"at most 2 messages were in what is missing"* ]]
    done
}

@test "stores list prints what is pending, with the due that it was put with, and changes nothing" {
    kept
    before=$(cat store/* | sha256sum)
    run "$twbench" stores list store
    [ "$status" -eq 0 ]
    [ "$(awk '{print $1, $2, $3, $4}' <<<"$output" | tail -n +2)" = "1700000000500 4 4 225
1700007200000 3 5 130
2 pending  " ]
    "$twbench" stores list store --json=l.json >/dev/null
    [ "$(jq -c '[.kind, .damaged, (.messages[] | .key)]' l.json)" = '["stores-pending",false,"4","3"]' ]
    [ "$(cat store/* | sha256sum)" = "$before" ]
}

@test "stores list names what is damaged and serves the rest, and refuses what is no wheel-log" {
    kept
    flip store/log-0000000000000000 162
    run "$twbench" stores list store --json=l.json
    [ "$status" -eq 1 ]
    [[ $output == *"damaged: log-0000000000000000 at "*": payload: checksum differs"* ]]
    [ "$(jq -c '[.damaged, (.messages[] | .key)]' l.json)" = '[true,"4"]' ]
    mkdir empty
    refuses "empty: no file of a wheel-log is in it" stores list empty
    refuses "nowhere: No such file or directory" stores list nowhere
}
