"""A headless Chromium, controlled by its debugging pipe, without a driver or a port."""

import json
import os
import shutil
import subprocess
import time
from base64 import b64decode


def find_chromium():
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


class Page:
    """One page in its own browser; a context manager that ends the browser."""

    def __init__(self, program, folder, width=1100, height=1900):
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        moves = f"exec 3<&{to_browser} 4>&{from_browser}; exec \"$@\""
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 "--no-first-run", "--hide-scrollbars", "--remote-debugging-pipe",
                 f"--user-data-dir={folder}", f"--window-size={width},{height}", "about:blank"]
        self._browser = subprocess.Popen(
            ["bash", "-c", moves, "bash", program, *flags], pass_fds=(to_browser, from_browser),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._rest, self._number, self._session = b"", 0, None
        targets = self._call("Target.getTargets")["targetInfos"]
        target = next(t["targetId"] for t in targets if t["type"] == "page")
        attached = self._call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        self.requests, self.errors = [], []
        for domain in ("Page", "Network", "Runtime"):
            self._call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._browser.terminate()
        self._browser.wait(20)
        os.close(self._write)
        os.close(self._read)

    def _receive(self):
        while b"\0" not in self._rest:
            more = os.read(self._read, 1 << 20)
            if not more:
                raise RuntimeError("the browser ended")
            self._rest += more
        message, self._rest = self._rest.split(b"\0", 1)
        return json.loads(message)

    def _call(self, method, **parameters):
        self._number += 1
        call = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            call["sessionId"] = self._session
        os.write(self._write, json.dumps(call).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("method") == "Network.requestWillBeSent":
                self.requests.append(answer["params"]["request"]["url"])
            if answer.get("method") == "Runtime.exceptionThrown":
                self.errors.append(answer["params"]["exceptionDetails"])
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]

    def open(self, path):
        self._call("Page.navigate", url=path.as_uri())
        end = time.monotonic() + 30
        while self.value("document.readyState + location.protocol") != "completefile:":
            assert time.monotonic() < end, f"{path} did not load"
            time.sleep(0.05)

    def visit(self, address):
        """A page of a server."""
        self._call("Page.navigate", url=address)
        self.wait("document.readyState === 'complete' && location.protocol === 'http:'")

    def wait(self, script, seconds=60):
        """Until a script is true."""
        end = time.monotonic() + seconds
        while not self.value(script):
            assert time.monotonic() < end, f"{script} stayed false for {seconds} s"
            time.sleep(0.05)

    def key(self, key, modifiers=0):
        """A key of the keyboard, with its text where it has one; modifiers: 2 is Ctrl, 8 is Shift."""
        text = {"text": key} if len(key) == 1 and not modifiers & 2 else {}
        for kind in ("keyDown", "keyUp"):
            self._call("Input.dispatchKeyEvent", type=kind, key=key, modifiers=modifiers, **(text if kind == "keyDown" else {}))

    def resize(self, width, height, dark=False, mobile=False):
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", features=[scheme])

    def value(self, script):
        result = self._call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def middle(self, selector):
        box = f"document.querySelector({json.dumps(selector)}).getBoundingClientRect()"
        return self.value(f"(b => [b.x + b.width / 2, b.y + b.height / 2])({box})")

    def mouse(self, kind, x, y, **more):
        self._call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, selector):
        x, y = self.middle(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)

    def choose(self, selector, value):
        self.value(f"(e => {{ e.value = {json.dumps(value)}; e.dispatchEvent(new Event('input')); }})"
                   f"(document.querySelector({json.dumps(selector)}))")

    def text(self, selector):
        return self.value(f"document.querySelector({json.dumps(selector)}).textContent")

    def screenshot(self):
        return b64decode(self._call("Page.captureScreenshot")["data"])
