// The assembler's routes as the official SDK uses them.
import algosdk from 'algosdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDevnode, type Devnode } from '../../src/start-devnode.ts';

const SOURCE = `#pragma version 10
#define limit 1000
txn Amount // what is paid
  int limit
<=
`;

type SourceMapFields = ConstructorParameters<typeof algosdk.ProgramSourceMap>[0];

describe('algosdk', () => {
  let node: Devnode;
  let algod: algosdk.Algodv2;

  beforeAll(async () => {
    node = await startDevnode({ port: 0 });
    const { origin, port } = new URL(node.url);
    algod = new algosdk.Algodv2(node.token, origin, port);
  });
  afterAll(() => node.stop());

  test('assembles a source to a program with its address', async () => {
    const { result, hash } = await algod.compile(SOURCE).do();
    const program = algosdk.base64ToBytes(result);
    expect(Buffer.from(program).toString('hex')).toBe('0a310881e8070e');
    expect(new algosdk.LogicSigAccount(program).address().toString()).toBe(hash);
  });

  test('finds the lines of a program in its source map', async () => {
    const { sourcemap } = await algod.compile(SOURCE).sourcemap(true).do();
    const fields = Object.fromEntries(sourcemap?.data as Map<string, unknown>) as unknown as SourceMapFields;
    // The SDK reads every number of this answer as a bigint, and its own source map takes none.
    expect(fields.version).toBe(3n);
    const map = new algosdk.ProgramSourceMap({ ...fields, version: 3 });
    expect(map.getPcs()).toEqual([1, 3, 6]);
    expect(map.getLocationForPc(3)).toMatchObject({ line: 3, column: 2 });
  });

  test('shows what is wrong with a source', async () => {
    const compiling = algod.compile('#pragma version 10\nfoo\nint x\n').do();
    await expect(compiling).rejects.toThrow('2: unknown opcode: foo\n3:4: unable to parse "x" as integer');
  });

  test('disassembles a program', async () => {
    const { result } = await algod.disassemble(Buffer.from('0a310881e8070e', 'hex')).do();
    expect(result).toBe('#pragma version 10\ntxn Amount\npushint 1000\n<=\n');
    await expect(algod.disassemble(Uint8Array.of(10, 255)).do()).rejects.toThrow('illegal opcode 0xff');
  });
});
