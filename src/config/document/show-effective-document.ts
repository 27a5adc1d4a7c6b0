/** As it was written, with what holds besides; without tests. A secret is "[set]", which does not load. */
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
    sources: mapped(sources, (one) => over(writtenDefaults.sources[each], one)),
    drains: mapped(drains, (one) => ({ source, ...toDrain(asMap(defaults), asMap(one), paused === true) })),
    indexes: indexes && mapped(indexes, (one) => layered(writtenDefaults.indexes[each], asMap(one))),
    notify: notify && mapped(notify, (one) => hideTarget(over(writtenDefaults.notify[each], one))),
  });
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
    select: select && hideSelect(select),
    guards: guards && asList(guards).map((guard) => over(ofGuards[each], guard)),
    rules: asList(rules).map((rule, index) => ({
      name: defaultRuleName(index),
      ...mapped(rule, hideOfRule),
    })),
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

function mapped(values: unknown, show: (value: unknown, name: string) => unknown): Raw {
  return Object.fromEntries(Object.entries(asMap(values)).map(([name, value]) => [name, show(value, name)]));
}

/** The path of a webhook is often its secret. */
function hideTarget(target: Raw): Raw {
  const { url } = target;
  if (typeof url !== "string") return target;
  const { origin, pathname, search } = new URL(url);
  return { ...target, url: pathname === "/" && search === "" ? origin : `${origin}/${hidden}` };
}

function hideSelect(select: unknown): Raw {
  return mapped(select, (value, key) =>
    key === "url" ? hideAddress(value) : key === "not" ? hideSelect(value) : value,
  );
}

function hideOfRule(value: unknown, key: string): unknown {
  if (key === "when") return hideWhen(value);
  return key === "set" ? mapped(value, hideOfSet) : value;
}

function hideWhen(when: unknown): unknown {
  if (!isObject(when)) return when;
  return mapped(when, (value, key) => {
    if (key === "all" || key === "any") return asList(value).map(hideWhen);
    if (key === "not") return hideWhen(value);
    if (/header$/i.test(key)) return mapped(value, hidePattern);
    const isAddress =
      Object.hasOwn(textFields, key) && textFields[key as keyof typeof textFields] === "address";
    return isAddress ? hideAddress(value) : value;
  });
}

function hidePattern(pattern: unknown): unknown {
  if (Array.isArray(pattern)) return pattern.map((one) => hidePattern(one));
  return pattern === "none" || (isObject(pattern) && Object.hasOwn(pattern, "exists")) ? pattern : hidden;
}

const plainForms: ReadonlySet<string> = new Set(["equals", "prefix", "in"]);

/** Of a test that looks for the end of an address, or anywhere in it, nobody knows what is of the query. */
function hideAddress(pattern: unknown): unknown {
  if (Array.isArray(pattern)) return pattern.map(hideAddress);
  if (typeof pattern === "string") return maskQuery(pattern);
  return mapped(pattern, (value, form) =>
    form === "exists" ? value : plainForms.has(form) ? hideAddress(value) : hidden,
  );
}

function hideOfSet(value: unknown, key: string): unknown {
  if (key === "headers") return mapped(value, hideValue);
  if (key === "body") {
    const ofOperation = (one: unknown, name: string) => (name === "value" ? hideValue(one) : one);
    return mapped(value, (part) =>
      Array.isArray(part) ? part.map((operation) => mapped(operation, ofOperation)) : hideValue(part),
    );
  }
  const isAddress = key === "destination" || key === "callback" || key === "failureCallback";
  if (!isAddress || typeof value !== "string") return value;
  return maskQuery(value.replace(/^(https?:\/\/)[^/?#@]*@/i, `$1${hidden}@`));
}

function hideValue(value: unknown): unknown {
  if (value === null) return null;
  return isObject(value) ? mapped(value, hideValue) : hidden;
}
