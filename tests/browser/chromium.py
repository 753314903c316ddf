"""chromium.py - drives a headless Chromium over a pipe, in the words of the DevTools protocol.

--remote-debugging-pipe takes messages of JSON, each ended by a zero byte, on descriptor 3 and answers
on descriptor 4: no port, no driver program, nothing but the browser and Python's own library.
"""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


class Chromium:
    """One browser with one page.  As a context manager it ends the browser and removes its profile."""

    def __init__(self, limit_seconds=60):
        self.limit_seconds = limit_seconds
        self.profile = tempfile.mkdtemp(prefix="twbench-chromium.")
        self.events = []
        self.buffer = b""
        self.number = 0
        to_read, self.to_browser = os.pipe()
        self.from_browser, to_write = os.pipe()
        # 3 and 4 are where the browser looks; a shell puts the pipes there whatever their numbers are.
        program = shutil.which("chromium") or "chromium"
        command = [
            "bash", "-c", f'exec 3<&{to_read} 4>&{to_write} "$@"', "bash", program,
            "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu",
            "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions", "--hide-scrollbars",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            f"--user-data-dir={self.profile}", "about:blank"]
        # What it leaves in TMPDIR goes with the profile.
        self.process = subprocess.Popen(command, pass_fds=(to_read, to_write), env={**os.environ, "TMPDIR": self.profile},
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        targets = self.call("Target.getTargets", session=None)["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", session=None, targetId=page["targetId"],
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def read(self, deadline):
        while b"\0" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.from_browser], [], [], left)[0]:
                raise TimeoutError(f"chromium said nothing for {self.limit_seconds} s")
            part = os.read(self.from_browser, 1 << 20)
            if not part:
                raise EOFError("chromium ended; is it installed (tools/deps.sh report)?")
            self.buffer += part
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session="", **parameters):
        """The result of a method; events that come meanwhile are kept in self.events."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = self.session
        os.write(self.to_browser, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + self.limit_seconds
        while True:
            answer = self.read(deadline)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method):
        deadline = time.monotonic() + self.limit_seconds
        while True:
            for i, event in enumerate(self.events):
                if event.get("method") == method:
                    return self.events.pop(i)
            self.events.append(self.read(deadline))

    def open(self, path):
        self.events = [e for e in self.events if e.get("method") != "Page.loadEventFired"]
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        self.wait_for("Page.loadEventFired")

    def evaluate(self, expression):
        """The value of a JavaScript expression, as JSON has it."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"].get("description", expression))
        return answer["result"].get("value")

    def complaints(self):
        """What the console, the log and the network had to say since the browser began."""
        said = []
        for event in self.events:
            method, given = event.get("method"), event.get("params", {})
            if method == "Runtime.consoleAPICalled":
                said.append("console: " + " ".join(str(a.get("value")) for a in given["args"]))
            elif method == "Runtime.exceptionThrown":
                said.append("exception: " + given["exceptionDetails"]["text"])
            elif method == "Log.entryAdded" and given["entry"]["level"] in ("warning", "error"):
                said.append("log: " + given["entry"]["text"])
            elif method == "Network.requestWillBeSent":
                url = given["request"]["url"]
                if not url.startswith(("file:", "data:", "about:")):
                    said.append("network: " + url)
        return said

    def size(self, width, height=900, mobile=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=mobile)

    def media(self, kind="", scheme="light"):
        """kind: "print" or "" (screen)."""
        self.call("Emulation.setEmulatedMedia", media=kind,
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key, text=""):
        code = {"Enter": 13, "Tab": 9}[key]
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=key, text=text,
                  windowsVirtualKeyCode=code)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, windowsVirtualKeyCode=code)

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def pdf(self, path=None):
        data = base64.b64decode(self.call("Page.printToPDF", preferCSSPageSize=True,
                                          printBackground=True)["data"])
        if path:
            with open(path, "wb") as file:
                file.write(data)
        return data
