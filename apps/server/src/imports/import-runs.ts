import { Injectable } from '@nestjs/common';
import { DomainError, type ImportView } from '@counterfoil/contracts';

/** Imports that a server runs at once, of all workspaces: each of them may hold some megabytes, and all wait for one store. */
export const IMPORTS_AT_ONCE = 4;
/** Ended imports that are remembered with how they ended, also where the ledger holds no trace of them. */
const KEPT = 100;

/** An import that this process runs. */
export interface RunningImport {
  /** How far it is from now on. */
  follow(soFar: () => ImportView): void;
  /** How it ended; null: it is as if it had never begun. */
  end(view: ImportView | null): void;
}

/** The imports of this process, by workspace and name: those that run, and the last that ended. */
@Injectable()
export class ImportRuns {
  private readonly running = new Map<string, () => ImportView>();
  private readonly ended = new Map<string, ImportView>();

  /** @throws DomainError `import_running`, `too_many_imports` */
  begin(workspaceId: string, run: string, soFar: () => ImportView): RunningImport {
    const key = keyOf(workspaceId, run);
    if (this.running.has(key)) throw new DomainError('import_running', 'An import of this name is running.');
    if (this.running.size >= IMPORTS_AT_ONCE) {
      throw new DomainError('too_many_imports', `A server runs ${IMPORTS_AT_ONCE} imports at once.`);
    }
    this.running.set(key, soFar);
    return {
      follow: (next) => {
        this.running.set(key, next);
      },
      end: (view) => {
        this.running.delete(key);
        if (view !== null) this.keep(key, view);
      },
    };
  }

  /** An import that runs here, or ended here lately; null for any other. */
  find(workspaceId: string, run: string): ImportView | null {
    const key = keyOf(workspaceId, run);
    return this.running.get(key)?.() ?? this.ended.get(key) ?? null;
  }

  private keep(key: string, view: ImportView): void {
    // Set anew, so that it is the last of the map.
    this.ended.delete(key);
    this.ended.set(key, view);
    const [oldest] = this.ended.keys();
    if (this.ended.size > KEPT && oldest !== undefined) this.ended.delete(oldest);
  }
}

/** No workspace's name holds a slash. */
const keyOf = (workspaceId: string, run: string): string => `${workspaceId}/${run}`;
