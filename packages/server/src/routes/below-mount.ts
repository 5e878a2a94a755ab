/**
 * A path as a router that is mounted below a base reads it. The base is a pattern whose parameters take one segment
 * each. Its segments are counted, so it does not matter how the path spells them.
 */
export function belowMount(path: string, base: string): string {
  const depth = base.split('/').filter((segment) => segment !== '').length;
  if (depth === 0) return path;
  const above = new RegExp(`^(?:/+[^/]+){${depth}}(?=/|$)`).exec(path);
  const below = above === null ? path : path.slice(above[0].length);
  return below.startsWith('/') ? below : `/${below}`;
}
