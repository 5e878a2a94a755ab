// Runs in the page: a program is assembled, disassembled and run as a payment's logic signature, without a node.
import { assemble } from '@avm402/teal/assemble';
import { disassemble } from '@avm402/teal/disassemble';
import { programGroup } from '@avm402/teal/group';
import { run } from '@avm402/teal/run';

export interface ProgramPageResult {
  readonly disassembled: string;
  readonly passed: boolean;
  readonly cost: number;
  readonly error: string | undefined;
  readonly places: readonly number[];
}

declare global {
  interface Window {
    runProgram(source: string, args: readonly string[]): ProgramPageResult;
  }
}

const SENDER = 'QJTBOVNTJ3A667ZK6QEVEQYBWFRKJFY7GOMY2Y2MHOB6R5NCMVTBWUALB4';

globalThis.window.runProgram = (source, args) => {
  const { program } = assemble(source);
  const group = programGroup([
    {
      type: 'pay',
      sender: SENDER,
      receiver: SENDER,
      amount: 5n,
      fee: 1000n,
      firstValid: 1n,
      lastValid: 1001n,
      genesisHash: new Uint8Array(32).fill(1),
    },
  ]);
  const encoder = new TextEncoder();
  const {
    passed,
    cost,
    error,
    trace = [],
  } = run(program, {
    group,
    index: 0,
    args: args.map((text) => encoder.encode(text)),
    trace: true,
  });
  return { disassembled: disassemble(program), passed, cost, error: error?.message, places: trace.map(({ pc }) => pc) };
};
