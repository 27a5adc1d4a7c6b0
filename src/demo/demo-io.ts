/** What the demo needs of the command line: data goes to `out`, everything else to `err`. */
export interface DemoIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  out(text: string): void;
  err(text: string): void;
  /** Calls back on SIGINT and SIGTERM; answers how to stop listening. */
  onSignal(listener: (signal: NodeJS.Signals) => void): () => void;
}
