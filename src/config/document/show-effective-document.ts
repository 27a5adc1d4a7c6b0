/**
 * The document in effect: as it was written, each drain with what it takes from `defaults` and from what is
 * built in, without tests. What may be a secret is "[set]", which does not load.
 */
import { stringify } from "yaml";
import { defined } from "../../job/message/defined.ts";
import { isObject } from "../../job/message/json-value.ts";
import { maskQuery } from "../../job/rules/show-field-test.ts";
import { textFields } from "../../job/rules/rule-spec.ts";
import { parseYaml } from "../text/yaml-tree.ts";
import { asList, asMap, type Raw } from "./checks/raw-document.ts";
import { defaultRuleName } from "./checks/rule-checks.ts";
import { each, writtenDefaults } from "./written-defaults.ts";

export function showEffectiveDocument(text: string, hash: string): string {
  const document = toEffectiveDocument(text);
  return `# hash ${hash}\n${stringify(document, { aliasDuplicateObjects: false })}`;
}

export function toEffectiveDocument(text: string): object {
  const reading = parseYaml(text, "");
  const document = asMap(reading.ok ? reading.tree.value : {});
  const { version, paused = writtenDefaults.paused, archive, sources, defaults, drains } = document;
  const { indexes, notify } = document;
  const [source] = Object.keys(asMap(sources));
  return defined({
    version,
    paused,
    archive: archive && over(writtenDefaults.archive, archive),
    sources: ofEach(sources, (one) => over(writtenDefaults.sources[each], one)),
    drains: ofEach(drains, (one) => ({ source, ...toDrain(asMap(defaults), one, paused === true) })),
    indexes: indexes && ofEach(indexes, (one) => layered(writtenDefaults.indexes[each], one)),
    notify:
      notify &&
      ofEach(notify, (one) => ({ ...over(writtenDefaults.notify[each], one), url: hideTarget(one["url"]) })),
  });
}

function ofEach(named: unknown, show: (one: Raw) => object): object {
  return Object.fromEntries(Object.entries(asMap(named)).map(([name, one]) => [name, show(asMap(one))]));
}

function toDrain(defaults: Raw, own: Raw, isPaused: boolean): object {
  const { guards: ofGuards, ...builtIn } = writtenDefaults.drains[each];
  const hasLane = (own["lane"] ?? defaults["lane"]) !== "none";
  const limits = Object.entries(builtIn.limits).map(([name, limit]) => [
    name,
    typeof limit === "number" ? limit : hasLane ? limit.withLane : limit.withoutLane,
  ]);
  const shown = layered({ ...builtIn, limits: Object.fromEntries(limits) as Raw }, defaults, own);
  const { tests: _, select, guards, rules, ...keys } = shown;
  return defined({
    ...keys,
    paused: isPaused || keys["paused"],
    select: select && hideSelect(asMap(select)),
    guards: guards && asList(guards).map((guard) => over(ofGuards[each], guard)),
    rules: asList(rules).map((rule, index) => ({ name: defaultRuleName(index), ...hideRule(asMap(rule)) })),
  });
}

function over(...layers: readonly unknown[]): Record<string, unknown> {
  const maps = layers.map(asMap);
  const keys = new Set(maps.flatMap((map) => Object.keys(map)));
  const entries = [...keys].map((key) => {
    const values = maps.flatMap((map) => (map[key] === undefined ? [] : [map[key]]));
    const last = values.at(-1);
    return [key, isObject(last) ? Object.assign({}, ...values.filter(isObject)) : last];
  });
  return Object.fromEntries(entries) as Record<string, unknown>;
}

function layered(...layers: readonly Raw[]): Record<string, unknown> {
  let schedule: Raw = {};
  for (const layer of layers.map((one) => asMap(one["schedule"]))) {
    const { every: _every, cron: _cron, timezone, ...others } = schedule;
    const ofCron = layer["cron"] === undefined ? schedule : { ...others, timezone };
    schedule = defined({ ...(layer["every"] === undefined ? ofCron : others), ...layer });
  }
  return { ...over(...layers), schedule };
}

const hidden = "[set]";

/** The path of a webhook is often its secret. */
function hideTarget(url: unknown): unknown {
  if (typeof url !== "string") return url;
  const { origin, pathname, search } = new URL(url);
  return pathname === "/" && search === "" ? origin : `${origin}/${hidden}`;
}

function hideSelect(select: Raw): Raw {
  const { url, not } = select;
  return defined({ ...select, url: url && hideAddress(url), not: not && hideSelect(asMap(not)) });
}

function hideRule(rule: Raw): Raw {
  const { when, set } = rule;
  return defined({ ...rule, when: when && hideWhen(when), set: set && hideSet(asMap(set)) });
}

function hideWhen(when: unknown): unknown {
  if (!isObject(when)) return when;
  const entries = Object.entries(when).map(([key, value]) => {
    if (key === "all" || key === "any") return [key, asList(value).map(hideWhen)];
    if (key === "not") return [key, hideWhen(value)];
    if (/header$/i.test(key)) return [key, mapped(asMap(value), hidePattern)];
    const isAddress =
      Object.hasOwn(textFields, key) && textFields[key as keyof typeof textFields] === "address";
    return [key, isAddress ? hideAddress(value) : value];
  });
  return Object.fromEntries(entries) as unknown;
}

function mapped(values: Raw, show: (value: unknown) => unknown): Raw {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, show(value)]));
}

function hidePattern(pattern: unknown): unknown {
  if (Array.isArray(pattern)) return pattern.map(hidePattern);
  return pattern === "none" || (isObject(pattern) && Object.hasOwn(pattern, "exists")) ? pattern : hidden;
}

const plainForms: ReadonlySet<string> = new Set(["equals", "prefix", "in"]);

/** Of a test that looks for the end of an address, or anywhere in it, nobody knows what is of the query. */
function hideAddress(pattern: unknown): unknown {
  if (Array.isArray(pattern)) return pattern.map(hideAddress);
  if (typeof pattern === "string") return maskQuery(pattern);
  const entries = Object.entries(asMap(pattern)).map(([form, value]) => [
    form,
    form === "exists" ? value : plainForms.has(form) ? hideAddress(value) : hidden,
  ]);
  return Object.fromEntries(entries) as unknown;
}

function hideSet(set: Raw): Raw {
  const { headers, destination, callback, failureCallback, body } = set;
  const { merge, patch } = asMap(body);
  return defined({
    ...set,
    headers: headers && mapped(asMap(headers), hideValue),
    destination: typeof destination === "string" ? maskQuery(destination) : destination,
    callback: hideCallback(callback),
    failureCallback: hideCallback(failureCallback),
    body:
      body &&
      defined({
        merge: merge && hideValue(merge),
        patch: patch && asList(patch).map((one) => hideOperation(asMap(one))),
      }),
  });
}

function hideOperation(operation: Raw): Raw {
  return "value" in operation ? { ...operation, value: hideValue(operation["value"]) } : operation;
}

function hideValue(value: unknown): unknown {
  if (value === null) return null;
  return isObject(value) ? mapped(value, hideValue) : hidden;
}

function hideCallback(url: unknown): unknown {
  return typeof url === "string" ? maskQuery(url.replace(/^(https?:\/\/)[^/?#@]*@/i, `$1${hidden}@`)) : url;
}
