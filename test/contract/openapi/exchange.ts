/** A request and its answer as they went over the wire. */
export interface Exchange {
  readonly request: SeenRequest;
  /** Null: none came whole, as the emulator was told to. */
  readonly answer: SeenAnswer | null;
}

/** Names in small letters. */
export type SeenHeaders = Readonly<Record<string, readonly string[]>>;

export interface SeenRequest {
  readonly method: string;
  /** Without its query, as it was sent. */
  readonly path: string;
  readonly query: string;
  readonly headers: SeenHeaders;
  readonly body: Buffer;
}

export interface SeenAnswer {
  readonly status: number;
  readonly headers: SeenHeaders;
  readonly body: Buffer;
}

/** Without its parameters, in small letters; empty: none is given. */
export const mediaTypeOf = (headers: SeenHeaders): string =>
  (headers["content-type"]?.[0] ?? "").split(";")[0]!.trim().toLowerCase();
