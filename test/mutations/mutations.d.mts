/** One way to break a guarantee; `find` stands exactly once in `file`, and `test` has to notice. */
export interface Mutation {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  readonly test: string;
}

export const mutations: readonly Mutation[];
