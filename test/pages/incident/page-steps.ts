/** A tutorial as the steps that its reader takes: commands, and what each shows. */
export interface PageStep {
  /** Lines of a block `sh`. Empty: only a look at the first terminal. */
  readonly commands: readonly string[];
  /** The block `text` behind it; null: the page does not show what is printed. */
  readonly shown: string | null;
}

const block = /^```(sh|text)\n([^]*?)^```$/gm;

export function toPageSteps(page: string): readonly PageStep[] {
  const steps: { commands: readonly string[]; shown: string | null }[] = [];
  for (const [, language, text = ""] of page.matchAll(block)) {
    const last = steps.at(-1);
    if (language === "sh") steps.push({ commands: text.trimEnd().split("\n"), shown: null });
    else if (last !== undefined && last.shown === null) last.shown = text;
    else steps.push({ commands: [], shown: text });
  }
  return steps;
}

/** The page with what was typed and printed in a run of its steps. */
export function withRun(
  page: string,
  runs: readonly { readonly step: PageStep; readonly typed: readonly string[]; readonly output: string }[],
): string {
  const typed = runs.filter(({ step }) => step.commands.length > 0);
  const printed = runs.filter(({ step }) => step.shown !== null);
  return page.replaceAll(block, (_, language: string) => {
    const text = language === "sh" ? typed.shift()?.typed.join("\n") : printed.shift()?.output;
    return `\`\`\`${language}\n${text ?? ""}\n\`\`\``;
  });
}
