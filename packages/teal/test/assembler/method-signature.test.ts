import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { assemble } from '../../src/assembler/assemble.ts';

/** What algod warns of a method's signature; undefined when it is right. */
function warningOf(signature: string): string | undefined {
  const [warning] = assemble(`#pragma version 8\nmethod "${signature}"\n`).warnings;
  return warning?.message.replace('invalid ARC-4 ABI method signature for method op: ', '');
}

const at = (index: number, problem: string): string => `Error parsing argument type at index ${index}: ${problem}`;

test.each([
  ['f(uint70000)void', at(0, 'ill formed uint type: "uint70000"')],
  ['f(uint-8)void', at(0, 'ill formed uint type: "uint-8"')],
  ['f(uint08)void', undefined],
  ['f(ufixed08x1)void', at(0, 'ill formed ufixed type: "ufixed08x1"')],
  ['f(ufixed8x01)void', at(0, 'ill formed ufixed type: "ufixed8x01"')],
  ['f(ufixed8x0)void', at(0, 'ill formed ufixed type: "ufixed8x0"')],
  ['f(bool,Foo[3])void', at(1, 'static array ill formated: "Foo[3]"')],
  ['f(a-b[3])void', at(0, 'static array ill formated: "a-b[3]"')],
  ['f(foo[3])void', at(0, 'cannot convert the string "foo" to an ABI type')],
  ['f()(a))', 'Error parsing return type: unpaired parentheses: a)'],
  ['f()((a)', 'Error parsing return type: unpaired parentheses: (a'],
  ['f()(bool)', undefined],
  ['f((bool,(byte)[2])[],uint8)(byte,string)', undefined],
  ['f(bool(byte))void', undefined],
  ['f((byte)bool)void', at(0, 'cannot convert the string "(byte)bool" to an ABI type')],
])('the signature %s gets the warning %s', (signature, warning) => {
  expect(warningOf(signature)).toBe(warning);
});

test('signatures made of types get no warning, and one type that is none is named with its place', () => {
  const { type } = fc.letrec<{ type: string }>((tie) => ({
    type: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom('uint8', 'uint512', 'byte', 'bool', 'address', 'string', 'ufixed64x10'),
      tie('type').map((element) => `${element}[]`),
      fc.tuple(tie('type'), fc.nat({ max: 65_535 })).map(([element, length]) => `${element}[${length}]`),
      fc.array(tie('type'), { maxLength: 3 }).map((types) => `(${types.join(',')})`),
    ),
  }));
  fc.assert(
    fc.property(fc.array(type, { minLength: 1, maxLength: 5 }), fc.nat(), type, (types, place, result) => {
      expect(warningOf(`f(${types.join(',')})${result}`)).toBeUndefined();
      const index = place % types.length;
      const wrong = types.with(index, 'nothing');
      expect(warningOf(`f(${wrong.join(',')})void`)).toBe(
        at(index, 'cannot convert the string "nothing" to an ABI type'),
      );
    }),
  );
});
