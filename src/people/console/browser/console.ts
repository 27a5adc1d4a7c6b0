/** What a browser adds: live sections, keys, copying. Every page works without. */

/** Of a form's command: waits until it is of what the form has now. */
const commandsNow = new WeakMap<HTMLElement, () => Promise<void>>();

/** A browser lets a click copy a few seconds later. */
const commandWithinMs = 3_000;

addCopyButtons(document);
followForms(document);
listen();
document.addEventListener("keydown", onKey);
document.querySelector("#keys-hint")?.removeAttribute("hidden");

function listen(): void {
  const path = document.body.dataset["live"];
  const state = document.querySelector("#live-state");
  if (!path || state === null) return;
  let source: EventSource | null = null;
  // As the page was loaded. Later a stream begins with all sections, and until then they may be old.
  let isFresh = true;
  const say = (text: string): void => {
    if (state.textContent !== text) state.textContent = text;
  };
  const open = (): void => {
    source = new EventSource(path);
    source.addEventListener("open", () => say(isFresh ? " · live" : " · not live yet"));
    source.addEventListener("sections", (event: MessageEvent<string>) => {
      replaceSections(JSON.parse(event.data) as Record<string, string>);
      say(" · live");
    });
    source.addEventListener("stale", () => say(" · not live: Redis does not answer"));
    source.addEventListener("gone", () => say(" · not live: it is gone"));
    source.addEventListener("error", () => {
      isFresh = false;
      const isRefused = source?.readyState === EventSource.CLOSED;
      say(isRefused ? " · not live: load the page again" : " · not live: trying again");
    });
  };
  // A tab that nobody sees costs nothing.
  document.addEventListener("visibilitychange", () => {
    isFresh = false;
    if (document.hidden) {
      source?.close();
      source = null;
    } else if (source === null) open();
  });
  if (!document.hidden) open();
}

/** Of sections in which somebody fills a form in: what they are once it is closed. */
const heldBack = new Map<string, string>();

/** What was done a while ago is no news beside what the page says now. */
const saidForMs = 20_000;

/** The HTML is the server's own: it has escaped what strangers wrote. */
function replaceSections(changed: Record<string, string>): void {
  if (performance.now() > saidForMs) document.querySelector("main > .said[role]")?.remove();
  for (const [id, html] of Object.entries(changed)) {
    const section = document.querySelector<HTMLElement>(`#${CSS.escape(id)}[data-live]`);
    if (section === null) continue;
    if (isFilledIn(section)) heldBack.set(id, html);
    else replaceSection(section, html);
  }
}

/** The clock stands still with what is held back: it says what time the whole page is of. */
function isFilledIn(section: HTMLElement): boolean {
  const within = section.id === "as-of" ? document : section;
  return within.querySelector("section[data-live] details.act[open]") !== null;
}

function replaceSection(section: HTMLElement, html: string): void {
  heldBack.delete(section.id);
  const focused = section.contains(document.activeElement) ? document.activeElement : null;
  const [href, fold] = [focused?.getAttribute("href") ?? null, focused?.closest<HTMLElement>("[data-fold]")];
  const before = phaseOf(section);
  const folds = new Map(
    [...section.querySelectorAll<HTMLDetailsElement>("details[data-fold]")].map((one) => [
      one.dataset["fold"] ?? "",
      one.open,
    ]),
  );
  section.innerHTML = html;
  for (const one of section.querySelectorAll<HTMLDetailsElement>("details[data-fold]")) {
    one.open = folds.get(one.dataset["fold"] ?? "") ?? one.open;
  }
  if (before !== phaseOf(section)) reloadForms();
  addCopyButtons(section);
  followForms(section);
  if (href !== null) section.querySelector<HTMLElement>(`a[href="${CSS.escape(href)}"]`)?.focus();
  else if (fold) {
    const name = CSS.escape(fold.dataset["fold"] ?? "");
    section.querySelector<HTMLElement>(`[data-fold="${name}"] > summary`)?.focus();
  }
}

document.addEventListener(
  "toggle",
  () => {
    for (const [id, html] of heldBack) {
      const section = document.querySelector<HTMLElement>(`#${CSS.escape(id)}`);
      if (section !== null && !isFilledIn(section)) replaceSection(section, html);
    }
  },
  { capture: true },
);

function phaseOf(section: HTMLElement): string | undefined {
  return section.querySelector<HTMLElement>("[data-phase]")?.dataset["phase"];
}

/** In another phase other acts can be done. Not while somebody fills a form in: then once it is closed. */
function reloadForms(): void {
  if (document.querySelector("details.act[open]") === null) location.reload();
  else document.addEventListener("toggle", reloadForms, { capture: true, once: true });
}

function addCopyButtons(within: ParentNode): void {
  for (const command of within.querySelectorAll<HTMLElement>(".command:not([data-copies])")) {
    command.dataset["copies"] = "";
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", () => void copy(command, button));
    command.append(button);
  }
}

async function copy(command: HTMLElement, button: HTMLButtonElement): Promise<void> {
  await commandsNow.get(command)?.();
  await navigator.clipboard.writeText(command.querySelector("code")?.textContent ?? "");
  button.textContent = "Copied";
}

/**
 * The command beside a form is of what the form has now. The server writes it: it knows how to quote. Until it
 * has answered, the command says that it is older. If it does not answer, the command is again of the fields as
 * the page opened, and says so.
 */
function followForms(within: ParentNode): void {
  for (const form of within.querySelectorAll<HTMLFormElement>("details.act form")) {
    const command = form.querySelector<HTMLElement>(".command");
    const code = command?.querySelector("code") ?? null;
    const note = form.querySelector("[data-as-opened]");
    if (command === null || code === null || note === null) continue;
    const opened = { line: code.textContent, note: note.textContent };
    let asked = 0;
    const follow = async (): Promise<void> => {
      asked += 1;
      const own = asked;
      const body = new URLSearchParams();
      for (const [name, value] of new FormData(form)) if (typeof value === "string") body.set(name, value);
      const path = `${new URL(form.action).pathname}/command`;
      const signal = AbortSignal.timeout(commandWithinMs);
      const answer = await fetch(path, { method: "POST", body, signal }).catch(() => null);
      const line = answer?.ok === true ? await answer.text().catch(() => null) : null;
      if (own !== asked) return;
      code.textContent = line ?? opened.line;
      note.textContent = line === null ? opened.note : "";
    };
    let latest = Promise.resolve();
    let isOlder = false;
    const ask = (): void => {
      isOlder = false;
      latest = follow();
    };
    form.addEventListener("input", () => {
      isOlder = true;
      asked += 1;
      note.textContent = ", before your last change";
      const button = command.querySelector("button");
      if (button !== null) button.textContent = "Copy";
    });
    form.addEventListener("change", ask);
    const askUntilNow = async (): Promise<void> => {
      if (isOlder) ask();
      const waited = latest;
      await waited;
      if (isOlder || waited !== latest) await askUntilNow();
    };
    commandsNow.set(command, askUntilNow);
  }
}

/** g, then the key of a page; / goes to the first filter; ? shows them all. Not while somebody types. */
let isGoing = false;
function onKey(event: KeyboardEvent): void {
  const target = event.target instanceof HTMLElement ? event.target : null;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (target?.matches("input, select, textarea") === true) return;
  const dialog = document.querySelector<HTMLDialogElement>("#keys");
  if (event.key === "?") {
    if (dialog?.open === true) dialog.close();
    else dialog?.showModal();
    return;
  }
  if (event.key === "/") {
    event.preventDefault();
    document.querySelector<HTMLElement>(".filters input")?.focus();
    return;
  }
  if (isGoing)
    document.querySelector<HTMLAnchorElement>(`nav a[data-key="${CSS.escape(event.key)}"]`)?.click();
  else if (event.key === "b") openBrake();
  isGoing = event.key === "g" && !isGoing;
}

function openBrake(): void {
  const brake = document.querySelector<HTMLDetailsElement>("details.brake");
  if (brake === null) return;
  brake.querySelector("summary")?.focus();
  brake.open = true;
}

/** Who opens a form goes on in its first empty field. */
document.addEventListener(
  "toggle",
  ({ target }) => {
    if (!(target instanceof HTMLDetailsElement) || !target.matches(".act[open]")) return;
    // A form that its page opened takes nobody's focus.
    if (document.activeElement !== target.querySelector("summary")) return;
    const fields = [...target.querySelectorAll<HTMLInputElement>("input:not([type='hidden']), select")];
    (fields.find(({ value }) => value === "") ?? fields[0])?.focus();
  },
  { capture: true },
);
