import { createReadStream } from "node:fs";

/** Texts that must not be seen, looked for in whatever is shown. */
export type Secrets = ReturnType<typeof createSecrets>;

export function createSecrets() {
  const forms: { readonly name: string; readonly text: string }[] = [];
  let longest = 0;
  const find = (text: string): readonly string[] => [
    ...new Set(forms.flatMap((form) => (text.includes(form.text) ? [form.name] : []))),
  ];
  return {
    add(name: string, value: string): void {
      for (const text of [value, ...toBase64Forms(value)]) {
        forms.push({ name, text });
        longest = Math.max(longest, text.length);
      }
    },
    /** Names of those that stand in the text, as they are, or in base64. */
    find,
    async findInFile(path: string): Promise<readonly string[]> {
      const found = new Set<string>();
      let tail = "";
      for await (const chunk of createReadStream(path, "latin1")) {
        const text = tail + String(chunk);
        for (const name of find(text)) found.add(name);
        tail = text.slice(-longest);
      }
      return [...found];
    },
  };
}

/** At each of the three alignments, without the characters that its neighbours have a part in. */
function toBase64Forms(value: string): readonly string[] {
  return [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(value)]);
    const text = bytes.toString("base64");
    return text.slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
  });
}
