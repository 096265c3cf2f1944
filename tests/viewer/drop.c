// SPDX-License-Identifier: MIT
// drop WINDOW FILE: drops a file on a window as a file manager does, by the messages of XDND:
// Enter, Position, Drop. The file's name is sent as text/uri-list to the program that asks for it.
// Exit 0 when the window confirms the drop; 1 if it does not within 5 s.
#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { XDND_VERSION = 5, WAIT_MS = 5000 };

typedef struct Drag {
    Display* display;
    Window source;
    Window target;
    char uri[1024];
} Drag;

static Atom atom(const Drag* drag, const char* name) {
    return XInternAtom(drag->display, name, False);
}

static void send(const Drag* drag, const char* name, const long data[5]) {
    XEvent event = {.xclient.type = ClientMessage,
                    .xclient.window = drag->target,
                    .xclient.message_type = atom(drag, name),
                    .xclient.format = 32};
    memcpy(event.xclient.data.l, data, 5 * sizeof *data);
    XSendEvent(drag->display, drag->target, False, NoEventMask, &event);
    XFlush(drag->display);
}

/// Sends the file's name to the program that asks for it.
static void answer(const Drag* drag, const XSelectionRequestEvent* request) {
    XEvent event = {.xselection.type = SelectionNotify,
                    .xselection.requestor = request->requestor,
                    .xselection.selection = request->selection,
                    .xselection.target = request->target,
                    .xselection.property = request->property,
                    .xselection.time = request->time};
    XChangeProperty(drag->display, request->requestor, request->property, request->target, 8,
                    PropModeReplace, (const unsigned char*)drag->uri, (int)strlen(drag->uri));
    XSendEvent(drag->display, request->requestor, False, NoEventMask, &event);
    XFlush(drag->display);
}

/// Serves events until the target has sent the message `name`. Returns false after WAIT_MS.
static bool wait_for(const Drag* drag, const char* name) {
    const Atom wanted = atom(drag, name);
    struct pollfd ready = {.fd = ConnectionNumber(drag->display), .events = POLLIN};
    while (XPending(drag->display) > 0 || poll(&ready, 1, WAIT_MS) > 0) {
        XEvent event;
        XNextEvent(drag->display, &event);
        if (event.type == SelectionRequest) {
            answer(drag, &event.xselectionrequest);
        } else if (event.type == ClientMessage && event.xclient.message_type == wanted) {
            return true;
        }
    }
    fprintf(stderr, "drop: the window sends no %s\n", name);
    return false;
}

int main(int argc, char** argv) {
    Drag drag = {.display = argc == 3 ? XOpenDisplay(NULL) : NULL};
    if (!drag.display) {
        fputs("drop WINDOW FILE, on a display\n", stderr);
        return 1;
    }
    drag.target = strtoul(argv[1], NULL, 0);
    snprintf(drag.uri, sizeof drag.uri, "file://%.1000s\r\n", argv[2]);
    drag.source =
        XCreateSimpleWindow(drag.display, DefaultRootWindow(drag.display), 0, 0, 1, 1, 0, 0, 0);
    XSetSelectionOwner(drag.display, atom(&drag, "XdndSelection"), drag.source, CurrentTime);
    const long self = (long)drag.source;
    const long place = 300L << 16 | 300;
    send(&drag, "XdndEnter",
         (const long[5]){self, (long)XDND_VERSION << 24, (long)atom(&drag, "text/uri-list"), 0, 0});
    send(&drag, "XdndPosition",
         (const long[5]){self, 0, place, CurrentTime, (long)atom(&drag, "XdndActionCopy")});
    bool done = wait_for(&drag, "XdndStatus");
    send(&drag, "XdndDrop", (const long[5]){self, 0, CurrentTime, 0, 0});
    done = done && wait_for(&drag, "XdndFinished");
    XDestroyWindow(drag.display, drag.source);
    XCloseDisplay(drag.display);
    return done ? 0 : 1;
}
