import { startProgram, type Program } from '@avm402/stack/program';

export interface ReplicasOptions {
  readonly count: number;
  /** A file and its arguments, for node. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly random: () => number;
}

/** Facilitator processes on one store, of which any can be killed at any moment. */
export interface Replicas {
  /** Origins of those that run, in random order. */
  urls(): string[];
  /** Kills one with SIGKILL and starts it again at once; resolves when it is dead. */
  killOne(): Promise<void>;
  readonly kills: number;
  /** Resolves when all run. Fails if one did not come up again. */
  allRunning(): Promise<void>;
  /** The log lines of all of them, of the dead ones too. */
  lines(): string[];
  /** Their lines about a transaction, with the process's number in front. */
  logsOf(txId: string): string[];
  stop(): Promise<void>;
}

/** A start competes with everything else that a busy machine does. */
const READY_TIMEOUT_MS = 120_000;

export async function startReplicas({ count, command, environment, random }: ReplicasOptions): Promise<Replicas> {
  const everStarted: Program[] = [];
  const running = new Set<Program>();
  const starts: Promise<void>[] = [];
  let kills = 0;

  const start = async (): Promise<void> => {
    const program = await startProgram({
      name: 'avm402-facilitator',
      command,
      environment,
      readyTimeoutMs: READY_TIMEOUT_MS,
    });
    everStarted.push(program);
    running.add(program);
  };
  const allRunning = async (): Promise<void> => void (await Promise.all(starts));
  const shuffled = (): Program[] =>
    [...running]
      .map((program) => ({ program, place: random() }))
      .sort((a, b) => a.place - b.place)
      .map(({ program }) => program);

  for (let index = 0; index < count; index++) starts.push(start());
  await allRunning();
  return {
    urls: () => shuffled().map(({ url }) => url),
    get kills() {
      return kills;
    },
    allRunning,
    async killOne() {
      if (running.size === 0) await allRunning();
      const [victim] = shuffled();
      if (victim === undefined) return;
      running.delete(victim);
      await victim.kill();
      kills++;
      const restart = start();
      // allRunning reports a failure; until then it must not end the process.
      restart.catch(() => {});
      starts.push(restart);
    },
    lines: () => everStarted.flatMap(linesOf),
    logsOf: (txId) =>
      everStarted.flatMap((program) =>
        linesOf(program)
          .filter((line) => line.includes(txId))
          .map((line) => `${program.pid} ${line}`),
      ),
    async stop() {
      await Promise.allSettled(starts);
      await Promise.all([...running].map((program) => program.stop()));
    },
  };
}

function linesOf(program: Program): string[] {
  return program.output().split('\n');
}
