/** Records with every field that the service documents, each with the worst of values, as JSON texts. */

/** service-interface.md 2.3, the fields beyond it that listings have, and one that nobody knows. */
export const recordFields = (
  "dlqId messageId url topicName endpointName method header body bodyBase64 maxRetries notBefore createdAt callback " +
  "failureCallback scheduleId callerIP queueName label labels flowControlKey rate period parallelism responseStatus " +
  "responseHeader responseBody responseBodyBase64 state topicId retryDelayExpression callbackHeader failureCallbackHeader " +
  "workflowRunId unheardOf"
).split(" ");

const text = (value: string): string => JSON.stringify(value);
/** A character that no JSON text holds as it is, by its escape. */
const lone = { high: String.raw`\ud800`, low: String.raw`\udfff` };

export const oddValues: Readonly<Record<string, string>> = {
  "a lone high surrogate": `"${lone.high}"`,
  "a lone low surrogate": `"a${lone.low}b"`,
  "surrogates in the wrong order": `"${lone.low}${lone.high}"`,
  "a surrogate behind a host": `"https://a.example/${lone.high}"`,
  NUL: String.raw`"\u0000"`,
  "NUL in an address": String.raw`"https://a.example/\u0000"`,
  "line separators": String.raw`"a\u2028b\u2029c"`,
  "a byte order mark": String.raw`"\ufeffa"`,
  "bidirectional controls": String.raw`"\u202eexe.\u2066a\u2069"`,
  "line breaks": String.raw`"a\r\nX-Injected: yes\r\n\r\nb"`,
  markup: text(`"><script>alert(1)</script>&amp;{{x}}\${y}`),
  "escapes of a terminal": String.raw`"\u001b]0;x\u0007\u001b[2J"`,
  "100 KB": text("x".repeat(100_000)),
  "100 KB of two bytes each": text("ü".repeat(50_000)),
  "100 KB of blanks": text(" ".repeat(100_000)),
  "100 KB of separators": text("a,".repeat(50_000)),
  "100 KB of digits": text("1".repeat(100_000)),
  "100 KB of opening brackets": text("[".repeat(100_000)),
  "10,000 levels in a text": text(`${"[".repeat(10_000)}${"]".repeat(10_000)}`),
  "4,100 levels, near what a writer of JSON takes": `${"[".repeat(4_100)}${"]".repeat(4_100)}`,
  "10,000 levels": `${"[".repeat(10_000)}${"]".repeat(10_000)}`,
  "10,000 levels of objects": `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`,
  "10,000 levels in a list": `["a",${"[".repeat(10_000)}${"]".repeat(10_000)}]`,
  "10,000 levels of a header": `{"X-Odd":${"[".repeat(10_000)}${"]".repeat(10_000)}}`,
  "10,000 headers": `{${Array.from({ length: 10_000 }, (_, n) => `"X-${n}":["${n}"]`).join(",")}}`,
  "10,000 texts": `[${Array.from({ length: 10_000 }, (_, n) => `"label-${n}"`).join(",")}]`,
  "10,000 values of a header": `{"X-Odd":[${Array.from({ length: 10_000 }, (_, n) => `"${n}"`).join(",")}]}`,
  "surrogates of a map": `{"X-${lone.high}":["a"],"X-Odd":["${lone.low}"]}`,
  "surrogates of a list": `["a","${lone.high}"]`,
  "names of a prototype, in a map":
    '{"__proto__":["a"],"constructor":["b"],"toString":["c"],"hasOwnProperty":["d"]}',
  "names of a prototype, as texts": '{"__proto__":"a","toString":"b","valueOf":"c","toJSON":"d","then":"e"}',
  "an object with its own toString": '{"toString":"x","valueOf":1}',
  "a list of such objects": '[{"toString":"x","valueOf":1},{"__proto__":null}]',
  "a polluted prototype": '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  __proto__: '"__proto__"',
  constructor: '"constructor"',
  toString: '"toString"',
  hasOwnProperty: '"hasOwnProperty"',
  "2^53 + 1": "9007199254740993",
  "2^53 - 1": "9007199254740991",
  "1e400": "1e400",
  "-1e400": "-1e400",
  "1e-400": "1e-400",
  "-0": "-0",
  "-1": "-1",
  half: "0.5",
  "1e21": "1e21",
  "year 275760": "8640000000000000",
  "behind year 275760": "8640000000000001",
  "a day before the first one": "-8640000000000001",
  "NaN, as a text": '"NaN"',
  "Infinity, as a text": '"Infinity"',
  "undefined, as a text": '"undefined"',
  "a huge number, as a text": text("9".repeat(400)),
  "a number, as a text": '"1700000000000"',
  "a date, as a text": '"+275760-09-13T00:00:00.001Z"',
  null: "null",
  true: "true",
  false: "false",
  "0": "0",
  "1": "1",
  "600": "600",
  "an empty text": '""',
  "an empty list": "[]",
  "an empty object": "{}",
  "a list of nothing": "[null]",
  "a list of empty texts": '["",""]',
  "a list for a text": '["https://a.example/"]',
  "an object for a text": '{"a":"b"}',
  "an empty name": '{"":["a"]}',
  "names that differ in case": '{"X-Odd":["a"],"x-odd":["b"],"X-ODD":[]}',
  "a text for a list": '{"X-Odd":"a"}',
  "null in a map": '{"X-Odd":null,"X-Other":[null]}',
  cookies: '{"Cookie":["a=1","b=2"],"Set-Cookie":["a=1","b=2"]}',
  "hop by hop":
    '{"Connection":["X-Odd"],"Transfer-Encoding":["chunked"],"Content-Length":["7"],"Host":["b.example"]}',
  "a lineage that is none": '{"X-Redriver":["v1.AAAA.BBBB"],"x-redriver":["v1.e30.x"]}',
  "waits without end": '{"Retry-After":["9".repeat],"X-RateLimit-Reset":["1e400"]}'.replace(
    '"9".repeat',
    text("9".repeat(400)),
  ),
  "waits to the last day":
    '{"Retry-After":["8640000000000"],"X-RateLimit-Reset":["Sat, 13 Sep 275760 00:00:01 GMT"]}',
  "no Unicode in base64": '"!!!"',
  "base64 of bytes": '"7aCA/w=="',
  "a redacted text": text(`REDACTED:${"0".repeat(64)}`),
  "a broken address": '"http://[::1"',
  "an address with a user": '"http://u:p@a.example/"',
  "no address": '"javascript:alert(1)"',
  "a port that is none": '"http://a.example:99999/"',
  "an address in capitals": '"HTTPS://A.EXAMPLE"',
  "an address without a scheme": '"//a.example"',
  "an address of 100 KB": text(`https://a.example/${"x".repeat(100_000)}`),
  "an address of another alphabet": '"https://münchen.example/straße?ü#ß"',
  "a callback of ours that is none": '"https://a.example/?redriver-callback=v1.AAAA"',
  "an expression": '"pow(2, retried) * 1000"',
  "a comma": '"a,b,,c"',
  "commas in a list": '["a,b",","]',
};

export const valueNames: readonly string[] = Object.keys(oddValues);

/** A field and the name of its value. */
export type Oddity = readonly [field: string, value: string];

export const allOddities: readonly Oddity[] = recordFields.flatMap((field) =>
  valueNames.map((value): Oddity => [field, value]),
);

export function nameOf(oddities: readonly Oddity[]): string {
  return oddities.map(([field, value]) => `${field}: ${value}`).join(" · ");
}

/** The JSON of an ordinary record with these fields in place of its own. */
export function oddText(ordinary: Readonly<Record<string, unknown>>, oddities: readonly Oddity[]): string {
  const fields = new Map(Object.entries(ordinary).map(([name, value]) => [name, JSON.stringify(value)]));
  for (const [field, value] of oddities) fields.set(field, oddValues[value] ?? "null");
  return `{${[...fields].map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(",")}}`;
}
