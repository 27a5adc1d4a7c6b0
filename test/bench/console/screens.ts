/** The pages that are timed. */
export interface BenchPage {
  readonly name: string;
  readonly path: string;
}

/** Every list of the console, as this replica's own links lead to it. */
export async function findPages(url: string): Promise<readonly BenchPage[]> {
  const findLink = async (path: string, link: RegExp): Promise<string | undefined> =>
    link.exec(await (await fetch(url + path)).text())?.[1]?.replaceAll("&amp;", "&");
  const linkOn = async (path: string, link: RegExp): Promise<string> => {
    const found = await findLink(path, link);
    if (found === undefined) throw new Error(`${path} has no ${String(link)}`);
    return found;
  };
  const next = /<a rel="next" href="([^"]+)"/;
  const failure = await linkOn("/failures", /href="(\/failures\/[0-9a-f]{10})"/);
  const second = await linkOn("/parked", next);
  const older = await findLink("/history", next);
  return [
    { name: "Now", path: "/" },
    { name: "Failures", path: "/failures" },
    { name: "Failures, page 5", path: "/failures?all=yes&page=5" },
    { name: "Failures of a host", path: "/failures?host=api-0.example.com" },
    { name: "Failure", path: failure },
    { name: "Parked", path: "/parked" },
    { name: "Parked, page 2", path: second },
    { name: "Parked, page 3", path: await linkOn(second, next) },
    { name: "Parked of a drain", path: "/parked?drain=refused&reason=rule" },
    { name: "Parked, no row fits", path: "/parked?reason=too-large" },
    { name: "History", path: "/history" },
    ...(older === undefined ? [] : [{ name: "History, older", path: older }]),
    { name: "History of a host", path: "/history?host=api-7.example.com" },
    { name: "History, no row fits", path: "/history?act=pause" },
    { name: "Plans", path: "/plans" },
    { name: "Rules", path: "/rules" },
    { name: "Indexes", path: "/indexes" },
  ];
}
