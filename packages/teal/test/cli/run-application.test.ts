import { describe, expect, it } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { testWorld } from './world.ts';

const OWNER = 'QJTBOVNTJ3A667ZK6QEVEQYBWFRKJFY7GOMY2Y2MHOB6R5NCMVTBWUALB4';
const COUNTER = `#pragma version 13
byte "count"; dup; app_global_get; txna ApplicationArgs 0; btoi; +; app_global_put
byte "seen"; box_get; assert; log
int 0; byte "visits"; int 1; app_local_put
int 1`;
const PAYER = `#pragma version 13
itxn_begin; int pay; itxn_field TypeEnum; txn Sender; itxn_field Receiver; int 5; itxn_field Amount; itxn_submit
int 1`;
const STATE = JSON.stringify({
  sender: OWNER,
  globals: { count: 40 },
  locals: { [OWNER]: {} },
  boxes: { seen: 'yes' },
});

async function call(source: string, state: string, ...args: string[]) {
  const world = testWorld({ 'a.teal': source, 'state.json': state });
  const code = await main(['run', 'a.teal', '--app', '--state', 'state.json', '--no-trace', ...args], world);
  return { code, printed: world.printed.join('\n'), errors: world.errors.join('\n') };
}

describe('avm402-teal run --app', () => {
  it('runs a call in the state of a file and shows what it changes', async () => {
    expect(await call(COUNTER, STATE, '--arg', '0x02')).toEqual({
      code: 0,
      printed: [
        'global 0x636f756e74 = 42',
        'local of account 0: 0x766973697473 = 1',
        'log 0x796573',
        'passed, cost 17 of 700',
      ].join('\n'),
      errors: '',
    });
  });

  it('shows the instructions and the stack', async () => {
    const world = testWorld({ 'a.teal': '#pragma version 13\nint 6; int 7; *; int 42; ==' });
    expect(await main(['run', 'a.teal', '--app'], world)).toBe(0);
    expect(world.printed.join('\n')).toMatch(/pushint 7 +6 7\n.*\* +42\n[^]*passed, cost 5 of 700/);
  });

  it('performs inner payments, and says why one fails', async () => {
    const { code, printed } = await call(PAYER, STATE);
    expect(code).toBe(1);
    expect(printed).toMatch(/^inner pay of 5 µAlgo\nlogic eval error: inner tx 0 failed: overspend .*app=1001, pc=\d+/);
  });

  it.each([
    ['[]', 'the state is not a JSON object'],
    ['{', 'the state is not a JSON object'],
    ['{"sender":"x"}', 'invalid state: '],
    ['{"globals":{"0xf":1}}', 'invalid state: 0xf: expected pairs of hexadecimal digits'],
    ['{"round":1.5}', 'invalid state: round: expected a whole number'],
    ['{"globals":{"count":-1}}', 'invalid state: count: expected a whole number'],
    ['{"globals":{"count":18446744073709551616}}', 'invalid state: count: expected a whole number'],
    ['{"globals":{"count":true}}', 'invalid state: count: expected a text, or bytes after 0x'],
    ['{"boxes":["seen"]}', 'invalid state: boxes: expected an object'],
    ['{"locals":{"x":{}}}', 'invalid state: locals: expected an address'],
    ['{"global":{"count":1}}', 'invalid state: global: unknown'],
  ])('refuses the state %s', async (state, message) => {
    const { code, errors } = await call(COUNTER, state);
    expect(code).toBe(1);
    expect(errors).toContain(message);
  });

  it.each([65, 200_000])('refuses a key and a box’s name of %i bytes', async (length) => {
    const name = 'k'.repeat(length);
    for (const state of [{ globals: { [name]: 1 } }, { boxes: { [name]: '' } }]) {
      const { code, errors } = await call(COUNTER, JSON.stringify(state));
      expect({ code, errors }).toEqual({
        code: 1,
        errors: `invalid state: ${'k'.repeat(64)}…: expected at most 64 bytes`,
      });
    }
  });
});
