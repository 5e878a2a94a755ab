import { mkdirSync, rmSync, statSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DevnodeError } from '../errors.ts';

/** Tells other processes on this machine that a directory is in use. The system releases it when the process dies. */
export interface DirectoryLock {
  release(): Promise<void>;
}

/**
 * Locks a directory for this process, and creates it if necessary.
 * @throws DevnodeError `directory_in_use`, `invalid_options` if the path can't be a directory
 */
export async function lockDirectory(
  path: string,
  nameOf: (identity: string) => string = socketName,
): Promise<DirectoryLock> {
  const name = nameOf(identityOf(path));
  const server = (await listen(name)) ?? (await listenWhereNobodyAnswers(name));
  if (server === undefined) throw new DevnodeError('directory_in_use', `${path} is in use by another node`);
  return {
    release: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

/** An identity that is the same for every path to the directory. */
function identityOf(path: string): string {
  try {
    mkdirSync(path, { recursive: true });
    const { dev, ino } = statSync(path, { bigint: true });
    return `avm402-devnode-${dev}-${ino}`;
  } catch (cause) {
    throw new DevnodeError('invalid_options', `${path} can’t be used as a directory`, { cause });
  }
}

/** The name of a socket that only serves as a lock. Sockets end with their process; on Linux the name has no file. */
function socketName(identity: string): string {
  if (process.platform === 'linux') return `\0${identity}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\${identity}` : socketFile(identity);
}

export function socketFile(identity: string): string {
  return join(tmpdir(), `${identity}.socket`);
}

/** Gives undefined when the name is taken. */
function listen(name: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.unref();
    server.listen(name, () => resolve(server));
  });
}

/** Removes the socket's file if nobody answers, because the file outlives a process that was killed. */
async function listenWhereNobodyAnswers(name: string): Promise<Server | undefined> {
  if (await answers(name)) return undefined;
  // A name without a file is still held by a process that is too busy to answer.
  if (!name.startsWith('\0')) rmSync(name, { force: true });
  return listen(name);
}

function answers(name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(name);
    const answer = (isThere: boolean) => (): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', answer(true)).once('error', answer(false));
  });
}
