import { programVersion as versionOf } from '@avm402/teal/run';

/** The version at the head of a program, or algod's words for why there is none. */
export function programVersion(program: Uint8Array): bigint | string {
  if (program.length === 0) return 'invalid program (empty)';
  return versionOf(program) ?? 'invalid version';
}
