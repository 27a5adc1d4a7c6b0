/** Where pages show their numbers: what a new drawing of them has to change here. */

/** A number on Now by its name: `–` if it is not known. */
export function tileOf(page: string, name: string): string {
  const found = new RegExp(`<strong[^>]*>([^<]*)</strong>\\s*(?:<a [^>]*>)?(?:<span[^>]*>)?${name}`).exec(
    page,
  )?.[1];
  if (found === undefined) throw new Error(`Now shows no number named ${name}`);
  return found;
}

export interface ShownFailure {
  readonly id: string;
  readonly waiting: number;
  readonly parked: number;
}

/** The rows of Failures. */
export function failuresOf(page: string): readonly ShownFailure[] {
  return [...page.matchAll(/<tr>(.*?)<\/tr>/gs)].flatMap(([, row = ""]) => {
    const id = /href="\/failures\/([0-9a-z]+)"/.exec(row)?.[1];
    const cell = (title: string): string | undefined =>
      new RegExp(`data-title="${title}"[^>]*>([\\d,]+)`).exec(row)?.[1];
    const [waiting, parked] = [cell("waiting"), cell("parked")];
    if (id === undefined || waiting === undefined || parked === undefined) return [];
    return [{ id, waiting: toNumber(waiting), parked: toNumber(parked) }];
  });
}

/** `1,234`. */
export function toNumber(text: string): number {
  return Number(text.replaceAll(",", ""));
}
