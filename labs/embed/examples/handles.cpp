/*
 * handles.cpp - idle timeouts of three connections in C++: timers that stop when their objects go.
 *
 *     c++ -std=c++17 handles.cpp $(pkg-config --cflags --libs twtimers) -o handles
 */
#include <twtimers/twtimers.hpp>

#include <iostream>
#include <map>
#include <stdexcept>
#include <thread>

using namespace std::chrono_literals;

int main()
{
    twtimers::set timers;
    std::map<int, twtimers::timer> connections;
    for (int number = 0; number < 3; number++) {
        twtimers::timer idle(timers, [&connections, number] {
            std::cout << "connection " << number << " was idle for too long\n";
            connections.erase(number); /* and its timer with it */
        });
        idle.start(10ms + number * 10ms);
        connections[number] = std::move(idle);
    }
    connections.erase(1); /* this one said goodbye */
    twtimers::timer failing(timers, [] { throw std::runtime_error("told by advance"); });
    failing.start(15ms);
    int thrown = 0;
    while (auto next = timers.next()) {
        std::this_thread::sleep_until(*next);
        try {
            timers.advance();
        } catch (const std::runtime_error &error) {
            std::cout << error.what() << '\n';
            thrown++;
        }
    }
    return !connections.empty() || thrown != 1 || timers.size() != 0;
}
