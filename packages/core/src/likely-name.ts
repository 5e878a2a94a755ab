/** The name closest to a mistyped one, if they differ by at most two letters, or by a third of them if that is more. */
export function likelyName(mistyped: string, names: readonly string[]): string | undefined {
  const farthest = Math.max(2, Math.floor(mistyped.length / 3));
  const byDistance = names.map((name) => ({ name, distance: distance(mistyped.toLowerCase(), name.toLowerCase()) }));
  return byDistance.filter((near) => near.distance <= farthest).sort((a, b) => a.distance - b.distance)[0]?.name;
}

/** The end of an error message about an unknown name: the likely name, or all names. */
export function unknownName(name: string, names: readonly string[]): string {
  const likely = likelyName(name, names);
  return `is unknown${likely === undefined ? `; there are ${names.toSorted().join(', ')}` : ` (did you mean ${likely}?)`}`;
}

/** Levenshtein distance: letters to insert, remove or replace. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of Array.from(from).entries()) {
    const next = [index + 1];
    for (const [column, other] of Array.from(to).entries()) {
      const [left = 0, above = 0, corner = 0] = [next[column], row[column + 1], row[column]];
      next.push(Math.min(left + 1, above + 1, corner + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
