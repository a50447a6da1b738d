// Everything here is done by the server as well: this only makes it quicker.
"use strict";
const root = document.documentElement;
root.classList.add("scripted");
const csrf = document.body.dataset.csrf;
const one = (selector, within = document) => within.querySelector(selector);
const all = (selector) => [...document.querySelectorAll(selector)];

// Where the pages do not fit beside one another, the one that is open is seen.
if (matchMedia("(max-width: 40rem)").matches) one("nav [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });

// Answers while one types. The latest question wins; the address always says what is shown.
const ask = one("#ask"), results = one("#results");
if (ask && results) {
  let timer, under;
  const asked = () => {
    const query = new URLSearchParams(new FormData(ask));
    for (const [name, value] of [...query]) if (!value) query.delete(name);
    return query;
  };
  const answer = async () => {
    under?.abort();
    under = new AbortController();
    const query = asked();
    const address = "/" + (query.size ? "?" + query : "");
    query.set("fragment", "true");
    try {
      const response = await fetch("/?" + query, { signal: under.signal, headers: { Accept: "text/html" } });
      if (!response.ok) return;
      results.innerHTML = await response.text();
      one("#status").textContent = one(".summary, .empty h2", results)?.textContent ?? "";
      history.replaceState(null, "", address);
    } catch (error) {
      if (error.name !== "AbortError") throw error;
    }
  };
  ask.addEventListener("input", (event) => {
    clearTimeout(timer);
    if (event.target.id === "query") timer = setTimeout(answer, 180);
  });
  ask.addEventListener("change", (event) => {
    if (event.target.name === "namespace") ask.requestSubmit();
    else if (event.target.id !== "query") answer();
  });
}

// Why an answer is where it is, word by word, when one opens it.
document.addEventListener("toggle", async (event) => {
  const why = event.target, link = why.matches?.("details.why[data-words]") && why.open && one(".word-by-word", why);
  if (!link) return;
  const address = why.dataset.words;
  delete why.dataset.words;
  const response = await fetch(address + "&fragment=true", { headers: { Accept: "text/html" } });
  if (response.ok) link.outerHTML = await response.text();
}, true);

// The slider moves the date, and the date asks.
const slider = one("#slider"), asOf = one("#as-of");
if (slider && asOf) {
  slider.addEventListener("input", () => {
    const day = new Date(slider.dataset.first + "T00:00:00Z");
    day.setUTCDate(day.getUTCDate() + Number(slider.value));
    asOf.value = slider.value === slider.max ? "" : day.toISOString().slice(0, 10);
  });
  slider.addEventListener("change", () => slider.form.requestSubmit());
}

// Files dropped anywhere on the page of imports, with lines of progress.
const drop = one("#drop");
if (drop) {
  const progress = one("#progress");
  const say = (text) => { progress.textContent = text; };
  const send = async (files) => {
    const body = new FormData();
    for (const file of files) body.append("files", file, file.webkitRelativePath || file.name);
    say(drop.dataset.working);
    const headers = { "X-CSRF-Token": csrf, Accept: "application/x-ndjson" };
    const response = await fetch(drop.dataset.ingest, { method: "POST", body, headers });
    const last = await lines(response, (line) => {
      if (line.progress) say(`${drop.dataset.working} ${line.progress.sources} · +${line.progress.added}`);
    });
    if (response.ok && last?.result) location.reload();
    else say(`${drop.dataset.failed} ${last?.error?.message ?? last?.detail ?? response.status}`);
  };
  const failed = (error) => say(`${drop.dataset.failed} ${error.message}`);
  drop.addEventListener("submit", (event) => {
    event.preventDefault();
    send(one("input[type=file]", drop).files).catch(failed);
  });
  document.addEventListener("dragover", (event) => { event.preventDefault(); root.classList.add("over"); });
  document.addEventListener("dragleave", () => root.classList.remove("over"));
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    root.classList.remove("over");
    if (event.dataTransfer.files.length) send(event.dataTransfer.files).catch(failed);
  });
}
async function lines(response, tell) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "", last;
  for (;;) {
    const { value, done } = await reader.read();
    rest += value ?? "";
    const whole = rest.split("\n");
    rest = done ? "" : whole.pop();
    for (const line of whole) if (line.trim()) tell(last = JSON.parse(line));
    if (done) return last;
  }
}

// The theme without loading the page anew.
for (const button of all("button[name=theme]"))
  button.addEventListener("click", (event) => {
    event.preventDefault();
    root.dataset.theme = button.value;
    for (const other of all("button[name=theme]")) other.setAttribute("aria-pressed", other === button);
    fetch("/settings", { method: "POST", redirect: "manual", headers: { "X-CSRF-Token": csrf },
      body: new URLSearchParams({ theme: button.value }) });
  });

for (const button of all("[data-copy]"))
  button.addEventListener("click", () => navigator.clipboard.writeText(button.dataset.copy));

// Keys: / to ask, j and k from answer to answer.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
  if (event.key === "/") {
    const field = one("#query");
    event.preventDefault();
    if (field) field.select(); else location.href = one(".brand").href;
  }
  if (event.key === "j" || event.key === "k") {
    const texts = all("main a.text");
    const here = texts.indexOf(document.activeElement);
    const next = texts[event.key === "j" ? here + 1 : here - 1];
    if (next) { next.focus(); next.scrollIntoView({ block: "nearest" }); }
  }
});
