import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The root of the repository, which is the context that the image is built from. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

export interface Instruction {
  readonly keyword: string;
  readonly value: string;
}

/** The instructions of deploy/Dockerfile, a list for each stage. Ours has neither continued lines nor heredocs. */
export function dockerfileStages(): readonly (readonly Instruction[])[] {
  const stages: Instruction[][] = [];
  for (const line of readFileSync(`${root}deploy/Dockerfile`, 'utf8').split('\n')) {
    const [, keyword, value] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
    if (keyword === undefined || value === undefined) {
      if (line !== '' && !line.startsWith('# ')) throw new Error(`no instruction: ${line}`);
      continue;
    }
    if (keyword === 'FROM') stages.push([]);
    stages.at(-1)?.push({ keyword, value });
  }
  return stages;
}

/** A stage's arguments of one keyword, in order. */
export function valuesOf(stage: readonly Instruction[] | undefined, keyword: string): readonly string[] {
  return (stage ?? []).filter((instruction) => instruction.keyword === keyword).map(({ value }) => value);
}
