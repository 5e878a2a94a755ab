import { DevnodeError } from '../errors.ts';

const { crc32 } = process.getBuiltinModule('node:zlib');

const FORMAT = 'avm402-devnode state';
const VERSION = 1;
const FIRST_LINE = Buffer.from(`${FORMAT} ${VERSION}\n`);
/** Length of the body, checksum of the length, checksum of the body: 32 bits each, little-endian. */
const HEAD_BYTES = 12;
/** How many bytes are examined at once. */
const WINDOW = 1 << 16;

/** The source of a state file's bytes. */
export interface ByteSource {
  /** Its name in messages. */
  readonly name: string;
  readonly size: number;
  /** Reads `length` bytes, which must exist. The returned bytes never change. */
  read(position: number, length: number): Uint8Array;
}

export function bytesSource(name: string, bytes: Uint8Array): ByteSource {
  return { name, size: bytes.length, read: (position, length) => bytes.subarray(position, position + length) };
}

/**
 * Writes the frames of a state file: a first line, then frames, each with its checksums. Each checksum continues the
 * one before, so a frame is valid only in its own place.
 */
export class FrameWriter {
  static readonly firstLine: Uint8Array = FIRST_LINE;
  #checksum: number;

  /** `checksum`: that of the frame before. Default: the start of a file. */
  constructor(checksum: number = crc32(FIRST_LINE)) {
    this.#checksum = checksum;
  }

  frame(body: Uint8Array): Uint8Array {
    const frame = Buffer.allocUnsafe(HEAD_BYTES + body.length);
    frame.writeUInt32LE(body.length, 0);
    const headChecksum = crc32(frame.subarray(0, 4), this.#checksum);
    this.#checksum = crc32(body, headChecksum);
    frame.writeUInt32LE(headChecksum, 4);
    frame.writeUInt32LE(this.#checksum, 8);
    frame.set(body, HEAD_BYTES);
    return frame;
  }
}

/** Reads the frames of a state file, one after another, up to its end or to where its last write was cut off. */
export class FrameReader {
  readonly #source: ByteSource;
  #end: number;
  #checksum: number;

  /** @throws DevnodeError `invalid_state_file` for anything but a state file of this version */
  constructor(source: ByteSource) {
    this.#source = source;
    checkFirstLine(source);
    this.#end = FIRST_LINE.length;
    this.#checksum = crc32(FIRST_LINE);
  }

  /** The end of the last frame that was read, in bytes. */
  get end(): number {
    return this.#end;
  }

  /** A writer that continues after the last frame that was read. */
  writer(): FrameWriter {
    return new FrameWriter(this.#checksum);
  }

  /** Whether there are bytes after the last frame that was read. */
  get isCut(): boolean {
    return this.#end < this.#source.size;
  }

  /**
   * The next body; undefined where the file ends, or where its last write was cut off.
   * @throws DevnodeError `damaged_state_file` for bytes that no writer wrote
   */
  next(): Uint8Array | undefined {
    const left = this.#source.size - this.#end;
    if (left < HEAD_BYTES) return undefined;
    const head = Buffer.from(this.#source.read(this.#end, HEAD_BYTES));
    const headChecksum = crc32(head.subarray(0, 4), this.#checksum);
    if (head.readUInt32LE(4) !== headChecksum) return this.#zerosOrDamage();
    const length = head.readUInt32LE(0);
    if (left < HEAD_BYTES + length) return undefined;
    const body = this.#source.read(this.#end + HEAD_BYTES, length);
    const checksum = crc32(body, headChecksum);
    if (head.readUInt32LE(8) !== checksum) throw this.#damage();
    this.#end += HEAD_BYTES + length;
    this.#checksum = checksum;
    return body;
  }

  /** If power was lost, the file system may have extended the file with zeros before it wrote the bytes. */
  #zerosOrDamage(): undefined {
    for (let at = this.#end; at < this.#source.size; at += WINDOW) {
      const bytes = this.#source.read(at, Math.min(WINDOW, this.#source.size - at));
      if (bytes.some((byte) => byte !== 0)) throw this.#damage();
    }
    return undefined;
  }

  #damage(): DevnodeError {
    return new DevnodeError('damaged_state_file', `${this.#source.name} is damaged at byte ${this.#end}`);
  }
}

function checkFirstLine(source: ByteSource): void {
  const line = Buffer.from(source.read(0, Math.min(source.size, FIRST_LINE.length)));
  if (line.equals(FIRST_LINE)) return;
  const text = line.toString('latin1');
  const version = text.startsWith(`${FORMAT} `) ? /^\d+/.exec(text.slice(FORMAT.length + 1))?.[0] : undefined;
  throw new DevnodeError(
    'invalid_state_file',
    version === undefined
      ? `${source.name} is not a state file of this node`
      : `${source.name} is a state file of version ${version}; this node reads version ${VERSION}`,
  );
}
