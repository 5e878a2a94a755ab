import { test } from 'vitest';
import { checkAnyInput } from './any-input.ts';

test('20,000 operands make no opcode of cryptography or text fail but as an opcode does', { timeout: 600_000 }, () =>
  checkAnyInput(20_000),
);
