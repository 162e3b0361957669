// Search of pages that are opened as files: browsers start no worker from a file, so the theme's
// search runs in a hidden frame of the page instead. Pages that are served keep the browser's worker.
(function () {
  if (location.protocol !== "file:") return;

  class FrameWorker extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.title = "search";
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = data => this.tell("message", MessageEvent, {data});
      inside.importScripts = (...urls) => urls.reduce(
        (before, each) => before.then(() => this.load(each)), Promise.resolve());
      this.load(url).then(() => {
        const first = this.waiting;
        this.waiting = null;
        first.forEach(data => this.postMessage(data));
      }, () => this.tell("error", ErrorEvent, {message: `${url} could not be read`}));
    }

    load(url) {
      return new Promise((done, failed) => {
        const script = this.frame.contentDocument.createElement("script");
        script.src = new URL(url, location.href).href;
        script.onload = () => done();
        script.onerror = failed;
        this.frame.contentDocument.body.append(script);
      });
    }

    tell(name, Kind, parts) {
      const event = new Kind(name, parts);
      this.dispatchEvent(event);
      const listener = this[`on${name}`];
      if (typeof listener === "function") listener.call(this, event);
    }

    postMessage(data) {
      if (this.waiting) {
        this.waiting.push(data);
        return;
      }
      const inside = this.frame.contentWindow;
      // A copy of the frame's own types, as a worker would get.
      inside.dispatchEvent(new inside.MessageEvent("message", {data: inside.structuredClone(data)}));
    }

    terminate() { this.frame.remove(); }
  }

  // The theme's search asks for this name to learn that it runs in a frame.
  window.IFrameWorker = window.Worker = FrameWorker;
})();
