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

/** The part of a page that has this id. */
export function sectionOf(page: string, id: string): string {
  const found = new RegExp(`<section id="${id}"[^>]*>(.*?)</section>`, "s").exec(page)?.[1];
  if (found === undefined) throw new Error(`the page has no section ${id}`);
  return found;
}

/** What the page of one kind says of it. Times are Unix ms. */
export function failureOf(page: string) {
  const numbers = sectionOf(page, "numbers");
  const tile = (name: string): number => toNumber(tileOf(numbers, name));
  const since = /<dt>failing since<\/dt><dd><time datetime="([^"]+)"/.exec(sectionOf(page, "head"))?.[1];
  return {
    waiting: tile("waiting"),
    parked: tile("parked"),
    sentAgain: tile("sent again"),
    failedAgain: tile("failed again"),
    since: since === undefined ? null : Date.parse(since),
  };
}

/** The page of a plan of one drain: what would be done with how many, and how many there are of each kind. */
export function planOf(page: string) {
  const section = sectionOf(page, "drains");
  const done = [
    ...section.matchAll(
      /<strong>([\d,]+)<\/strong> (?:<span[^>]*>)?(send again|drop|discard|park|sent or dropped before|hold)[^<]*</g,
    ),
  ];
  const cells = (row: string, title: string): number =>
    toNumber(new RegExp(`data-title="${title}"[^>]*>(?:<[^>]+>)*([\\d,]+)`).exec(row)?.[1] ?? "NaN");
  const rows = [...section.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = ""]) => row);
  return {
    records: toNumber(/<p>([\d,]+) records/.exec(section)?.[1] ?? "NaN"),
    done: Object.fromEntries(done.map(([, count = "", what = ""]) => [what, toNumber(count)])),
    kinds: rows.flatMap((row) => {
      const id = /href="\/failures\/([0-9a-z]+)"/.exec(row)?.[1];
      return id === undefined ? [] : [{ id, records: cells(row, "records") }];
    }),
    destinations: rows.flatMap((row) => {
      const name = /data-title="destination"[^>]*>(?:<[^>]+>)*([^<]+)/.exec(row)?.[1];
      if (name === undefined) return [];
      // What a halt holds is due, and stands apart.
      const due = ["due now", "held by a halt"].map((title) => cells(row, title)).filter(Number.isInteger);
      return [{ name, due: due.reduce((sum, one) => sum + one, 0), later: cells(row, "due later") }];
    }),
  };
}

/** `1,234`. */
export function toNumber(text: string): number {
  return Number(text.replaceAll(",", ""));
}
