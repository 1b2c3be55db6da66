// Contents of the page, buttons that copy code, and the search, without any
// library. Works from a folder as well as from a server.
(function () {
  "use strict";

  function element(tag, properties) {
    return Object.assign(document.createElement(tag), properties);
  }

  function contents() {
    var nav = document.getElementById("toc");
    if (!nav) { return; }
    var heads = document.querySelectorAll("main h2, main h3");
    heads.forEach(function (head, i) {
      if (head.hasAttribute("data-toc-skip") || head.closest("#toc")) { return; }
      var section = head.closest("[id]");
      if (!head.id && !(section && section.id !== "main")) { head.id = "section-" + i; }
      nav.append(element("a", {
        href: "#" + (head.id || section.id), textContent: head.textContent.trim(),
        className: head.tagName === "H3" ? "inner" : ""
      }));
    });
  }

  // What is copied leaves out the printed lines.
  function copies() {
    if (!navigator.clipboard) { return; }
    document.querySelectorAll("div.sourceCode").forEach(function (block) {
      var button = element("button", { type: "button", className: "copy", textContent: "copy" });
      button.addEventListener("click", function () {
        var code = block.querySelector("pre").textContent;
        navigator.clipboard.writeText(code.replace(/^#>.*\n?/gm, ""));
        button.textContent = "copied";
        setTimeout(function () { button.textContent = "copy"; }, 1500);
      });
      block.append(button);
    });
  }

  // The index is a script, as a page that is read from a folder may not fetch.
  function load(source) {
    if (!load.done) {
      load.done = new Promise(function (resolve) {
        var script = element("script", { src: source });
        script.onload = function () { resolve(window.siteIndex); };
        document.head.append(script);
      });
    }
    return load.done;
  }

  function score(entry, words) {
    var title = entry.title.toLowerCase(), text = entry.text.toLowerCase(), sum = 0;
    for (var i = 0; i < words.length; i++) {
      var hits = text.split(words[i]).length - 1;
      if (title.includes(words[i])) { hits += 50; }
      if (title === words[i]) { hits += 100; }
      if (hits === 0) { return 0; }
      sum += hits;
    }
    return sum;
  }

  function search() {
    var input = document.getElementById("search-input");
    if (!input) { return; }
    var list = input.parentNode.querySelector("ul"), root = input.dataset.root;
    input.addEventListener("input", function () {
      var words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      load(root + "search-index.js").then(function (entries) {
        list.replaceChildren();
        if (input.value.trim().length < 2) { return; }
        entries.map(function (entry) { return [score(entry, words), entry]; })
          .filter(function (pair) { return pair[0] > 0; })
          .sort(function (a, b) { return b[0] - a[0]; }).slice(0, 12)
          .forEach(function (pair) {
            var link = element("a", { href: root + pair[1].path, textContent: pair[1].title });
            link.append(element("small", { textContent: pair[1].about }));
            var item = element("li", {});
            item.append(link);
            list.append(item);
          });
        if (!list.children.length) {
          list.append(element("li", { textContent: "nothing found" }));
        }
      });
    });
    input.form.addEventListener("submit", function (event) {
      event.preventDefault();
      var first = list.querySelector("a");
      if (first) { window.location.href = first.href; }
    });
    document.addEventListener("click", function (event) {
      if (!input.parentNode.contains(event.target)) { list.replaceChildren(); }
    });
  }

  contents();
  copies();
  search();
})();
