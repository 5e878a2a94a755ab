/** Counts of requests answered, by method, route and status. */
export interface RequestMetrics {
  count(answered: Answered): void;
  /** Each combination seen, with its count. */
  counts(): readonly (Answered & { readonly count: number })[];
}

interface Answered {
  readonly method: string;
  /** The route's path with its parameter names; undefined if no route matched. */
  readonly path: string | undefined;
  readonly status: number;
}

export function createRequestMetrics(): RequestMetrics {
  const counts = new Map<string, Answered & { count: number }>();
  return {
    count({ method, path, status }) {
      const key = path === undefined ? `${status}` : `${method} ${path} ${status}`;
      const counted = counts.get(key);
      if (counted) counted.count++;
      // Without a route, the method is any text that a caller invents, so it must not get a separate series.
      else counts.set(key, { method: path === undefined ? '' : method, path, status, count: 1 });
    },
    counts: () => [...counts.values()],
  };
}
