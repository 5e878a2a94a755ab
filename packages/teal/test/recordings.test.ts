import { formatAddress } from '@avm402/algorand/address';
import { sha512_256 } from '@avm402/algorand/hash';
import { describe, expect, it } from 'vitest';
import { assemble, AssemblyError } from '../src/assembler/assemble.ts';
import { disassemble, DisassemblyError } from '../src/disassembler/disassemble.ts';
import { recordedCalls, type RecordedCall } from './recordings.ts';

/** Calls of each recorded scenario: [assembler, disassembler]. The suite is worth nothing if some are left out. */
const RECORDED = {
  'teal-basics': [890, 19],
  'teal-constants': [374, 47],
  'teal-disassemble': [40, 795],
  'teal-errors': [508, 0],
  'teal-labels': [315, 0],
  'teal-limits': [64, 22],
  'teal-pragmas': [353, 0],
  'teal-real': [66, 33],
  'teal-sourcemap': [104, 0],
} as const;

const TOTAL = 3630;

const calls = recordedCalls();

describe('what algod assembled and disassembled', () => {
  it.each(Object.entries(RECORDED))('comes out the same in every call of %s', (scenario, [sources, programs]) => {
    const ofScenario = calls.filter((call) => call.scenario === scenario);
    expect(ofScenario.flatMap(differences)).toEqual([]);
    expect(ofScenario.filter(({ tool }) => tool === 'compile')).toHaveLength(sources);
    expect(ofScenario.filter(({ tool }) => tool === 'disassemble')).toHaveLength(programs);
  });

  it(`is ${TOTAL} calls`, () => {
    expect(calls).toHaveLength(TOTAL);
    expect([...new Set(calls.map(({ scenario }) => scenario))]).toEqual(Object.keys(RECORDED));
  });

  it('differs when one byte of a record is changed', () => {
    for (const tool of ['compile', 'disassemble'] as const) {
      for (const member of ['result', 'message'] as const) {
        const call = calls.find((each) => each.tool === tool && (each.answer[member]?.length ?? 0) > 0);
        const text = call?.answer[member] ?? '';
        const changed = `${text.slice(0, -1)}${text.endsWith('A') ? 'B' : 'A'}`;
        expect(call && differences({ ...call, answer: { ...call.answer, [member]: changed } })).toHaveLength(1);
      }
    }
  });
});

/** One text to read if our answer is another than algod's. */
function differences({ scenario, n, note, tool, body, answer }: RecordedCall): readonly string[] {
  const ours = tool === 'compile' ? assembled(body, 'sourcemap' in answer) : disassembled(body);
  const [recorded, found] = [JSON.stringify(answer), JSON.stringify(ours)];
  return recorded === found ? [] : [`${scenario} #${n} (${note})\n  recorded ${recorded}\n  ours     ${found}`];
}

function assembled(source: Uint8Array, withMap: boolean): RecordedCall['answer'] {
  try {
    const { program, sourceMap } = assemble(source);
    const hash = formatAddress(sha512_256(Buffer.concat([Buffer.from('Program'), program])));
    const result = Buffer.from(program).toString('base64');
    return { hash, result, ...(withMap && { sourcemap: sourceMap }) };
  } catch (error) {
    if (!(error instanceof AssemblyError)) throw error;
    return { message: error.message };
  }
}

function disassembled(program: Uint8Array): RecordedCall['answer'] {
  try {
    return { result: disassemble(program) };
  } catch (error) {
    if (!(error instanceof DisassemblyError)) throw error;
    return { message: error.message };
  }
}
