import { JsonSource } from '../codec/json-source.ts';
import { MsgpackSource } from '../codec/msgpack-source.ts';
import { simulateRequest, type SimulateRequest } from '../codec/schema/simulate.ts';
import { EndOfInput, type Source } from '../codec/source.ts';
import { DevnodeError, refused } from '../errors.ts';

const MAX_BYTES = 1_000_000;

/**
 * Reads a simulate request in msgpack or, if that fails, JSON, whatever the content type. Bytes after the request are
 * ignored.
 * @throws DevnodeError 400 with algod's text, which is about the JSON attempt
 */
export function readSimulateRequest(bytes: Uint8Array): SimulateRequest {
  if (bytes.length > MAX_BYTES) throw refused('http: request body too large');
  try {
    return read(new MsgpackSource(bytes));
  } catch (error) {
    if (!isReadError(error)) throw error;
    return readJson(bytes);
  }
}

function readJson(bytes: Uint8Array): SimulateRequest {
  try {
    return read(new JsonSource(bytes));
  } catch (error) {
    if (!isReadError(error)) throw error;
    const reason = error instanceof EndOfInput ? 'EOF' : error.message;
    throw new DevnodeError('refused', `failed to decode object: ${reason}`, { cause: error });
  }
}

function read(source: Source): SimulateRequest {
  return simulateRequest.read(source, simulateRequest.zero);
}

function isReadError(error: unknown): error is DevnodeError | EndOfInput {
  return error instanceof EndOfInput || (error instanceof DevnodeError && error.code === 'refused');
}
