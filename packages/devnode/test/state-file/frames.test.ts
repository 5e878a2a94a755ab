import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bytesSource, FrameReader, FrameWriter } from '../../src/state-file/frames.ts';

const bodies = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 6 });

/** A file of frames, and where each ends. */
function fileOf(contents: readonly Uint8Array[]): { readonly file: Uint8Array; readonly ends: readonly number[] } {
  const writer = new FrameWriter();
  let file = Buffer.from(FrameWriter.firstLine);
  const ends = contents.map((body) => {
    file = Buffer.concat([file, writer.frame(body)]);
    return file.length;
  });
  return { file, ends };
}

function readAll(file: Uint8Array): { readonly read: Uint8Array[]; readonly isCut: boolean } {
  const reader = new FrameReader(bytesSource('the file', file));
  const read: Uint8Array[] = [];
  for (let body = reader.next(); body !== undefined; body = reader.next()) read.push(Uint8Array.from(body));
  return { read, isCut: reader.isCut };
}

describe('frames', () => {
  test('are read as they were written', () => {
    fc.assert(
      fc.property(bodies, (contents) => {
        expect(readAll(fileOf(contents).file)).toEqual({ read: contents, isCut: false });
      }),
    );
  });

  test('go on after the last one that was read', () => {
    fc.assert(
      fc.property(bodies, fc.nat(), (contents, at) => {
        const first = contents.slice(0, at % (contents.length + 1));
        const { file } = fileOf(first);
        const reader = new FrameReader(bytesSource('the file', file));
        while (reader.next() !== undefined);
        const writer = reader.writer();
        const later = contents.slice(first.length).map((body) => writer.frame(body));
        expect(readAll(Buffer.concat([file, ...later])).read).toEqual(contents);
      }),
    );
  });

  test('of a file that was cut anywhere are those that are whole', () => {
    fc.assert(
      fc.property(bodies, fc.nat(), (contents, at) => {
        const { file, ends } = fileOf(contents);
        const { length } = FrameWriter.firstLine;
        const end = length + (at % (file.length - length + 1));
        const whole = contents.filter((_, index) => (ends[index] ?? 0) <= end);
        const isCut = end !== (ends[whole.length - 1] ?? length);
        expect(readAll(file.subarray(0, end))).toEqual({ read: whole, isCut });
      }),
    );
  });

  test('that end in zeros end where the zeros begin', () => {
    fc.assert(
      fc.property(bodies, fc.nat({ max: 5000 }), (contents, zeros) => {
        const { file } = fileOf(contents);
        expect(readAll(Buffer.concat([file, Buffer.alloc(zeros)]))).toEqual({ read: contents, isCut: zeros > 0 });
      }),
    );
  });

  test('with any bit turned over are refused', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 6 }),
        fc.nat(),
        fc.nat({ max: 7 }),
        (contents, at, bit) => {
          const { file } = fileOf(contents);
          const broken = Uint8Array.from(file);
          const place = at % file.length;
          broken[place] = (broken[place] ?? 0) ^ (1 << bit);
          const code = place < FrameWriter.firstLine.length ? 'invalid_state_file' : 'damaged_state_file';
          expect(() => readAll(broken)).toThrow(expect.objectContaining({ code }));
        },
      ),
    );
  });

  const several = fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 2, maxLength: 6 });
  test('are refused in another order, or with one left out', () => {
    fc.assert(
      fc.property(several, fc.nat(), (contents, at) => {
        const distinct = contents.map((body, index) => Uint8Array.of(index, ...body));
        const { file, ends } = fileOf(distinct);
        const gone = at % (distinct.length - 1);
        const [from, to] = [ends[gone - 1] ?? FrameWriter.firstLine.length, ends[gone] ?? 0];
        expect(() => readAll(Buffer.concat([file.subarray(0, from), file.subarray(to)]))).toThrow('is damaged');
      }),
    );
  });

  test('of another version are named, and what is no such file at all is told', () => {
    expect(() => readAll(Buffer.from('avm402-devnode state 2\nwhatever'))).toThrow(
      'the file is a state file of version 2; this node reads version 1',
    );
    expect(() => readAll(Buffer.from('{"round": 1}'))).toThrow('the file is not a state file of this node');
    expect(() => readAll(new Uint8Array(0))).toThrow('the file is not a state file of this node');
  });
});
