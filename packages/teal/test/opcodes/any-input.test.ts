import { test } from 'vitest';
import { checkAnyInput } from './any-input.ts';

test('no operands make an opcode of cryptography or text fail but as an opcode does', () => checkAnyInput(500));
