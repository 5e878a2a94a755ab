import { decodeJson, decodeMsgpack, isDecodeError } from '../codec/decode.ts';
import { simulateRequest, type SimulateRequest } from '../codec/schema/simulate.ts';
import { EndOfInput } from '../codec/source.ts';
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
    return decodeMsgpack(simulateRequest, bytes);
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    return readJson(bytes);
  }
}

function readJson(bytes: Uint8Array): SimulateRequest {
  try {
    return decodeJson(simulateRequest, bytes);
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    const reason = error instanceof EndOfInput ? 'EOF' : error.message;
    throw new DevnodeError('refused', `failed to decode object: ${reason}`, { cause: error });
  }
}
