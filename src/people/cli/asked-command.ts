/** Global options that take a value; both may stand before the command. */
const withValue: ReadonlySet<string> = new Set(["--config", "--drains", "--log-level"]);

/** The command, perhaps mistyped: the first word that is neither a global option nor the value of one. */
export function askedCommand(argv: readonly string[]): string | undefined {
  let isValue = false;
  return argv.find((word) => {
    const isOption = word.startsWith("-");
    const isFound = !isValue && !isOption;
    isValue = !isValue && withValue.has(word);
    return isFound;
  });
}
