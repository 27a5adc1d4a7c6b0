/** The request is refused and nothing has happened. Becomes `{"error": message}` with this status. */
export class EmulatorRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
