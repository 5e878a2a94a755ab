/** Counts open requests, so that no more than `limit` are served at once. */
export interface RequestLimit {
  readonly underway: number;
  /** Takes a place; gives false when all are taken. */
  enter(): boolean;
  leave(): void;
}

export function createRequestLimit(limit: number): RequestLimit {
  let underway = 0;
  return {
    get underway() {
      return underway;
    },
    enter() {
      if (underway >= limit) return false;
      underway++;
      return true;
    },
    leave() {
      underway--;
    },
  };
}
