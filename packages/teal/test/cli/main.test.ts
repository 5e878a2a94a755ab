import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { accountFromSeed } from '@avm402/algorand/account';
import { assignGroup } from '@avm402/algorand/group';
import { encodeTransaction, type Transaction } from '@avm402/algorand/transaction';
import { describe, expect, it } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { originsOf } from '../../src/assembler/source-map.ts';
import { testWorld } from './world.ts';

const SOURCE = '#pragma version 10\nint 1\n  byte "hello"; sha256\nlen\n==\n!\n';
const PROGRAM = Buffer.from('0a8101800568656c6c6f01151214', 'hex');

const execute = promisify(execFile);

describe('avm402-teal compile', () => {
  it('prints the program, its size and its address', async () => {
    const world = testWorld({ 'a.teal': SOURCE });
    expect(await main(['compile', 'a.teal'], world)).toBe(0);
    expect(world.printed[0]).toContain(`program  ${PROGRAM.toString('base64')}\nbytes    14\naddress  `);
    expect(world.errors).toEqual([]);
  });

  it('writes the program and a source map of the file', async () => {
    const world = testWorld({ 'a.teal': SOURCE });
    expect(await main(['compile', 'a.teal', '-o', 'a.tok', '--map', 'a.map'], world)).toBe(0);
    expect(world.files.get('a.tok')).toEqual(PROGRAM);
    const map = JSON.parse(String(world.files.get('a.map'))) as { sources: string[]; mappings: string };
    expect(map.sources).toEqual(['a.teal']);
    expect(originsOf(map.mappings)).toEqual([
      { pc: 1, line: 2, column: 0 },
      { pc: 3, line: 3, column: 2 },
      { pc: 10, line: 3, column: 16 },
      { pc: 11, line: 4, column: 0 },
      { pc: 12, line: 5, column: 0 },
      { pc: 13, line: 6, column: 0 },
    ]);
  });

  it('prints what algod answers, as JSON', async () => {
    const world = testWorld({ stdin: SOURCE });
    expect(await main(['compile', '-', '--json'], world)).toBe(0);
    expect(JSON.parse(world.printed[0] ?? '')).toMatchObject({ result: PROGRAM.toString('base64') });
  });

  it('tells every error and warning with its place, and nothing that a terminal would obey', async () => {
    const world = testWorld({ 'a.teal': '#pragma version 8\nint \u001b[2J\n foo\nmethod "f"\n' });
    expect(await main(['compile', 'a.teal'], world)).toBe(1);
    expect(world.printed).toEqual([]);
    expect(world.errors[0]).toMatch(/^a\.teal:4:7: invalid ARC-4 .* \(warning\)$/);
    expect(world.errors[1]?.split('\n')).toEqual([
      String.raw`a.teal:2:4: unable to parse "\x1b[2J" as integer`,
      'a.teal:3:1: unknown opcode: foo',
    ]);
  });
});

describe('avm402-teal disassemble', () => {
  it('shows the source of bytes, and of base64', async () => {
    const world = testWorld({ 'a.tok': PROGRAM, 'a.txt': `${PROGRAM.toString('base64')}\n` });
    expect(await main(['disassemble', 'a.tok'], world)).toBe(0);
    expect(await main(['disassemble', 'a.txt', '--base64'], world)).toBe(0);
    expect(world.printed[0]).toBe(
      '#pragma version 10\npushint 1\npushbytes 0x68656c6c6f // "hello"\nsha256\nlen\n==\n!',
    );
    expect(world.printed[1]).toBe(world.printed[0]);
  });

  it('says why bytes are no program', async () => {
    const world = testWorld({ 'a.tok': Buffer.from('0aff', 'hex'), 'a.txt': '!' });
    expect(await main(['disassemble', 'a.tok'], world)).toBe(1);
    expect(await main(['disassemble', 'a.txt', '--base64'], world)).toBe(1);
    expect(world.errors).toEqual(['a.tok: illegal opcode 0xff', 'a.txt is not base64']);
  });
});

describe('avm402-teal run', () => {
  it('shows each step with its place, its line and the stack after it', async () => {
    const world = testWorld({ 'a.teal': SOURCE });
    expect(await main(['run', 'a.teal'], world)).toBe(0);
    expect(world.printed).toEqual([
      [
        'pc  line  instruction                        stack',
        ' 1     2  pushint 1                          1',
        ' 3     3  pushbytes 0x68656c6c6f // "hello"  1 0x68656c6c6f',
        '10     3  sha256                             1 0x2cf24dba5fb0a30e…(32)',
        '11     4  len                                1 32',
        '12     5  ==                                 0',
        '13     6  !                                  1',
      ].join('\n'),
      'passed, cost 40 of 20000',
    ]);
  });

  it('runs it with arguments, in the place that it signs of a group from a file', async () => {
    const { address } = accountFromSeed(new Uint8Array(32).fill(1));
    const members = [1n, 7n].map((amount): Transaction => {
      const window = { fee: 1000n, firstValid: 1n, lastValid: 9n, genesisHash: new Uint8Array(32) };
      return { type: 'pay', sender: address, receiver: address, amount, ...window };
    });
    const source = '#pragma version 10\ntxn Amount; global GroupSize; ==; arg 0; byte "yes"; ==; &&\n';
    const group = Buffer.concat(assignGroup(members).map(encodeTransaction));
    const world = testWorld({ 'a.teal': source, group });
    const command = ['run', 'a.teal', '--group', 'group', '--no-trace', '--arg', '0x796573'];
    expect(await main([...command, '--index', '0'], world)).toBe(1);
    expect(await main(['run', 'a.teal', '--arg', 'no', '--no-trace'], world)).toBe(1);
    const second = source.replace('GroupSize', 'GroupSize; int 5; +');
    world.files.set('a.teal', Buffer.from(second));
    expect(await main([...command, '--index', '1'], world)).toBe(0);
    expect(world.printed).toEqual([
      'rejected: it ended with 0, cost 7 of 40000',
      'rejected: it ended with 0, cost 7 of 20000',
      'passed, cost 9 of 40000',
    ]);
  });

  it('says where and why a program fails, and ends one that loops', async () => {
    const world = testWorld({
      'fails.teal': '#pragma version 10\nint 1\n  err\n',
      'loops.teal': '#pragma version 10\na: b a\n',
    });
    expect(await main(['run', 'fails.teal', '--no-trace'], world)).toBe(1);
    expect(await main(['run', 'loops.teal', '--no-trace'], world)).toBe(1);
    expect(world.printed[0]).toBe('failed at pc 3, line 3: err opcode executed, cost 2 of 20000');
    expect(world.printed[1]).toMatch(/^failed at pc 1, line 2: dynamic cost budget exceeded/);
  });

  it.each([[[]], [['--app']]])('says that a trace takes too much memory, and runs without it: %s', async (options) => {
    const source = `#pragma version 10\nint 4096\nbzero\n${'dup\n'.repeat(254)}${'uncover 254\n'.repeat(400)}`;
    const world = testWorld({ 'a.teal': source });
    expect(await main(['run', 'a.teal', ...options], world)).toBe(1);
    expect(world.errors).toEqual([
      'a trace holds at most 1000000 steps and 268435456 bytes of values: run it with --no-trace',
    ]);
    expect(await main(['run', 'a.teal', '--no-trace', ...options], world)).toBe(1);
    expect(world.printed.at(-1)).toMatch(/stack len is 255|255 values/);
  });

  it('says what is wrong with a group', async () => {
    const world = testWorld({ 'a.teal': SOURCE, group: 'no msgpack', none: '' });
    expect(await main(['run', 'a.teal', '--group', 'group'], world)).toBe(1);
    expect(await main(['run', 'a.teal', '--group', 'none'], world)).toBe(1);
    expect(world.errors[0]).toMatch(/^group is not a transaction group: /);
    expect(world.errors[1]).toBe('none is not a transaction group: a group has 1 to 16 transactions, this one none');
  });
});

describe('avm402-teal', () => {
  it.each([
    [['frob'], 'avm402-teal has no command frob'],
    [['compile'], 'expected one FILE, or - for stdin'],
    [['compile', 'a', 'b'], 'expected one FILE, or - for stdin'],
    [['run', 'a.teal', '--index', '1'], '--index must be 0 to 0, the position of a transaction in its group'],
    [['run', 'a.teal', '--arg', '0x1'], '--arg 0x1: expected pairs of hexadecimal digits'],
    [['run', 'a.teal', '--state', 'a.json'], '--state needs --app'],
    [['run', 'a.teal', '--app', '--group', 'group'], '--group and --index do not go with --app'],
    [['run', 'a.teal', '--app', '--index', '0'], '--group and --index do not go with --app'],
    [['run', 'a.teal', '--frob'], "Unknown option '--frob'"],
  ])('ends with 2 when it is called as %s', async (args, message) => {
    const world = testWorld({ 'a.teal': SOURCE });
    expect(await main(args, world)).toBe(2);
    expect(world.errors[0]).toContain(message);
  });

  it('ends with 1 when a file can’t be read', async () => {
    const world = testWorld();
    expect(await main(['compile', 'a.teal'], world)).toBe(1);
    expect(world.errors).toEqual(["can't read a.teal: no such file"]);
  });

  it('tells how it is called', async () => {
    const world = testWorld();
    for (const args of [['--help'], ['compile', '--help'], ['disassemble', '-h'], ['run', '--help']]) {
      expect(await main(args, world)).toBe(0);
    }
    expect(world.printed.every((text) => text.startsWith('Usage: avm402-teal'))).toBe(true);
  });

  it('is a program', async () => {
    const bin = join(import.meta.dirname, '../../bin/avm402-teal.js');
    const running = execute(process.execPath, [bin, 'compile', '-', '--json']);
    running.child.stdin?.end(SOURCE);
    expect(JSON.parse((await running).stdout)).toMatchObject({ result: PROGRAM.toString('base64') });
  });
});
