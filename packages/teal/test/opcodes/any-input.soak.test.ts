import { inject, test } from 'vitest';
import { checkAnyInput } from './any-input.ts';

const OPERANDS = 20_000 * inject('soakShare');

test(
  `${OPERANDS} operands make no opcode of cryptography or text fail but as an opcode does`,
  { timeout: 600_000 },
  () => checkAnyInput(OPERANDS),
);
