/** Four announcements at 15 s: one may be late and one lost before a living daemon is taken for dead. */
export const replicaLifeMs = 60_000;
