import { mkdirSync, rmSync, statSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DevnodeError } from '../errors.ts';

/** Says that a directory is in use, to processes of the same machine. The system takes it back when the process dies. */
export interface DirectoryLock {
  release(): Promise<void>;
}

/**
 * Takes a directory, which is made if need be, for this process alone.
 * @throws DevnodeError `directory_in_use`, `invalid_options` for a path that can't be a directory
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

/** The same for every path that leads to the directory. */
function identityOf(path: string): string {
  try {
    mkdirSync(path, { recursive: true });
    const { dev, ino } = statSync(path, { bigint: true });
    return `avm402-devnode-${dev}-${ino}`;
  } catch (cause) {
    throw new DevnodeError('invalid_options', `${path} can’t be used as a directory`, { cause });
  }
}

/** A socket that nobody connects to, for what else is left by none who dies: on Linux a name without a file. */
function socketName(identity: string): string {
  if (process.platform === 'linux') return `\0${identity}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\${identity}` : socketFile(identity);
}

export function socketFile(identity: string): string {
  return join(tmpdir(), `${identity}.socket`);
}

/** Undefined when the name is taken. */
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

/** A socket's file outlives a process that was killed. */
async function listenWhereNobodyAnswers(name: string): Promise<Server | undefined> {
  if (await answers(name)) return undefined;
  rmSync(name, { force: true });
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
