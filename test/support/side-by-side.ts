/** Cases of one test that wait for clocks most of the time, all at once. A failure is said with the name of its case. */
export async function sideBySide(cases: Readonly<Record<string, () => Promise<void>>>): Promise<void> {
  // What they started ends with the test, so all of them end first.
  const ended = await Promise.allSettled(Object.entries(cases).map(run));
  const failed = ended.flatMap((one) => (one.status === "rejected" ? [one.reason as Error] : []));
  if (failed.length > 1) throw new AggregateError(failed, failed.map(String).join("\n"));
  for (const error of failed) throw error;
}

async function run([name, one]: readonly [string, () => Promise<void>]): Promise<void> {
  try {
    await one();
  } catch (error) {
    throw new Error(`${name}: ${String(error)}`, { cause: error });
  }
}
