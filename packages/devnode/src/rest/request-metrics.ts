export interface Answered {
  readonly method: string;
  /** The route's path with its parameter names; undefined if no route matched. */
  readonly path: string | undefined;
  readonly status: number;
}

/** Counts of requests answered, by method, route and status. */
export class RequestMetrics {
  readonly #counts = new Map<string, Answered & { count: number }>();

  count({ method, path, status }: Answered): void {
    const key = path === undefined ? `${status}` : `${method} ${path} ${status}`;
    const counted = this.#counts.get(key);
    if (counted) counted.count++;
    // Without a route, the method is any text that a caller invents, so it must not get a separate series.
    else this.#counts.set(key, { method: path === undefined ? '' : method, path, status, count: 1 });
  }

  /** Each combination seen, with its count. */
  counts(): readonly (Answered & { readonly count: number })[] {
    return [...this.#counts.values()];
  }
}
