import { canonicalize, operationId, type FingerprintKey } from '@counterfoil/canonical';
import { DomainError, type CounterfoilEvent, type SessionEvent } from '@counterfoil/contracts';
import type { decide, SessionState } from '@counterfoil/session';
import { mustAgree } from './compare.js';
import { describeStep } from './describe.js';
import { commandOf, ModelRegistry } from './directory.js';
import { LiveModels } from './live-models.js';
import { Reference } from './reference/ledger.js';
import { ACCEPTED, SAME, type Answer } from './reference/shapes.js';
import { resolve, WORKSPACE, type Resolved, type Surroundings } from './resolve/index.js';
import { Side } from './side.js';
import type { RegistryStep, Step } from './steps.js';

const KEY: FingerprintKey = { id: 'k1', secret: new Uint8Array(32).fill(3) };
const BEGINNING = Date.UTC(2027, 0, 1);

/** A history that went wrong, with the steps that led there: each says the same when others are taken out. */
export class ModelFault extends Error {
  constructor(
    readonly what: string,
    readonly steps: readonly Step[],
    transcript: readonly string[],
    options: ErrorOptions,
  ) {
    super(`${what}\n${transcript.map((line, n) => `  ${n + 1}. ${line}`).join('\n')}`, options);
    this.name = 'ModelFault';
  }
}

/** The decider and the reference side by side. */
export class World implements Surroundings {
  /** What was met: `<command> <answer>`, types of events, and codes; so that a run can show that it met everything. */
  readonly met = new Set<string>();
  readonly models = new LiveModels();
  readonly reference = new Reference();
  commands = 0;
  private now = BEGINNING;
  private readonly registry = new ModelRegistry(KEY);
  private readonly sides = new Map<string, Side>();
  private readonly said: Resolved[] = [];
  private readonly saidAt = new Map<Step, Resolved>();
  private readonly played: Step[] = [];
  private readonly transcript: string[] = [];
  private readonly operations = new OneToOne();
  private readonly receipts = new OneToOne();

  constructor(private readonly decider: typeof decide) {}

  /** @throws ModelFault where the two differ, or an event breaks a promise, or a second fold gives something else */
  play(script: readonly Step[]): void {
    try {
      for (const step of script) this.step(step);
      for (const side of this.sides.values()) side.mustSettle();
      this.models.mustEqualRebuilt();
    } catch (error) {
      const what = error instanceof Error ? error.message : 'something was thrown';
      throw new ModelFault(what, this.played, this.transcript, { cause: error });
    }
  }

  idOf(session: string, operation: string): string {
    const known = this.operations.get(`${session} ${operation}`);
    if (known !== undefined) return known;
    return operationId(KEY, {
      workspaceId: WORKSPACE,
      userId: 'nobody',
      sessionId: session,
      tool: { source: 'none', name: operation },
      canonicalArguments: '{}',
    });
  }

  private step(step: Step): void {
    if (step.do === 'again') {
      const resolved = 'of' in step ? this.saidAt.get(step.of) : this.said.at(-step.back);
      if (resolved !== undefined) this.command({ do: 'again', of: resolved.pinned }, resolved);
      return;
    }
    if (step.do === 'wait') {
      this.note(step);
      this.now += step.seconds * 1000;
      return;
    }
    if (step.do === 'register' || step.do === 'retire' || step.do === 'policy') {
      this.register(step);
      return;
    }
    const resolved = resolve(step, this);
    this.said.push(resolved);
    this.saidAt.set(step, resolved).set(resolved.pinned, resolved);
    this.command(resolved.pinned, resolved);
  }

  private note(step: Step): void {
    this.played.push(step);
    this.transcript.push(describeStep(step));
  }

  private register(step: RegistryStep): void {
    this.note(step);
    this.commands++;
    const expected = this.reference.register(step);
    const [answer, decided] = this.registry.decide(step);
    this.answered(commandOf(step).type, expected, answer);
    if (decided === null) return;
    const event = stored(decided);
    this.met.add(event.type);
    this.registry.fold(event);
    this.models.record(`registry-${WORKSPACE}`, event, 'person:admin');
  }

  private answered(command: string, expected: Answer, answer: Answer): void {
    this.transcript.push(`${this.transcript.pop() ?? ''} -> ${answerText(answer)}`);
    for (const said of answerWords(answer)) this.met.add(`${command} ${said}`);
    mustAnswer(expected, answer);
  }

  private command(step: Step, resolved: Resolved): void {
    this.note(step);
    this.commands++;
    const expected = this.reference.apply(resolved.session, resolved.intent, this.now);
    this.ask(resolved, expected);
    const [known, side] = [this.reference.sessions.get(resolved.session), this.sides.get(resolved.session)];
    if (known === undefined || side === undefined) return;
    const { session } = resolved;
    mustAgree(known, side, {
      receiptOf: (turn, id) => this.receipts.get(`${session}/${turn}/${id}`),
      operation: (operation) => this.idOf(session, operation),
    });
  }

  private ask(resolved: Resolved, expected: Answer): void {
    const side = this.sides.get(resolved.session) ?? new Side();
    this.sides.set(resolved.session, side);
    const [answer, events] = this.answerOf(side.warm, resolved);
    this.answered(resolved.command.type, expected, answer);
    const [coldAnswer, coldEvents] = side.withRecalled(resolved.command, (state) => this.answerOf(state, resolved));
    if (answerText(answer) !== answerText(coldAnswer) || JSON.stringify(events) !== JSON.stringify(coldEvents))
      throw new Error(`a state that forgot its ended calls says ${answerText(coldAnswer)}, the other ${answerText(answer)}`);
    for (const event of events.map(stored)) {
      this.met.add(event.type);
      if (event.type === 'ToolCallRejected') this.met.add(`ToolCallRejected ${event.data.code}`);
      if (event.type === 'ToolExecuted') {
        const { state, change } = event.data.verification;
        this.met.add(['verification', state, ...(change === null ? [] : [change])].join(' '));
      }
      side.add(event, { now: this.now, by: resolved.principal, registry: this.registry.directory });
      this.models.record(`session-${WORKSPACE}/${resolved.session}`, event, resolved.principal);
      this.nameAlike(resolved, event);
    }
  }

  private answerOf(state: SessionState, { command, principal, roles }: Resolved): [Answer, SessionEvent[]] {
    try {
      const context = { now: this.now, principal, key: KEY, roles, registry: this.registry.directory };
      const events = this.decider(state, command, context);
      return [events.length > 0 ? ACCEPTED : SAME, events];
    } catch (error) {
      if (error instanceof DomainError) return [answerOfRefusal(error), []];
      throw error;
    }
  }

  /** What is one operation or one call for the reference is one for the decider, and the other way round (promises 2, 3, 8). */
  private nameAlike({ session, intent }: Resolved, event: SessionEvent): void {
    if (event.type === 'ToolCallRequested' && (intent.do === 'request' || intent.do === 'observe')) {
      this.receipts.pair(`${session}/${intent.turn}/${intent.id}`, event.data.receiptId);
      this.nameOperation(session, event.data.receiptId, event.data.operationId);
    }
    if (event.type === 'ToolCallAmended') this.nameOperation(session, event.data.receiptId, event.data.operationId);
    if (event.type === 'ToolExecuted') this.mustVerify(session, event);
  }

  private nameOperation(session: string, receiptId: string, operation: string | null): void {
    const call = this.callOf(session, receiptId);
    if (call?.operation != null && operation !== null) this.operations.pair(`${session} ${call.operation}`, operation);
  }

  private mustVerify(session: string, { data }: Extract<SessionEvent, { type: 'ToolExecuted' }>): void {
    const verified = this.callOf(session, data.receiptId)?.outcome?.verified;
    const { state, change } = data.verification;
    if (verified?.state !== state || verified.change !== change)
      throw new Error(`it is verified as ${state} ${change ?? ''} instead of ${verified?.state ?? 'not at all'} ${verified?.change ?? ''}`);
  }

  private callOf(session: string, receiptId: string) {
    const calls = this.reference.sessions.get(session)?.calls ?? [];
    return calls.find(({ turn, id }) => this.receipts.get(`${session}/${turn}/${id}`) === receiptId);
  }
}

/** As a store gives it back: of its own, and in canonical form. */
const stored = <E extends CounterfoilEvent>(event: E): E => ({ ...event, data: JSON.parse(canonicalize(event.data)) as unknown });

/** A pairing of names with ids in which neither has two partners. */
class OneToOne {
  private readonly ids = new Map<string, string>();
  private readonly names = new Map<string, string>();

  get(name: string): string | undefined {
    return this.ids.get(name);
  }

  pair(name: string, id: string): void {
    if ((this.ids.get(name) ?? id) !== id || (this.names.get(id) ?? name) !== name)
      throw new Error(`${name} and ${id} belong to others already`);
    this.ids.set(name, id);
    this.names.set(id, name);
  }
}

function answerOfRefusal({ code, extensions }: DomainError): Answer {
  if (code === 'evidence_unusable') return `${code} ${String(extensions['reason'])}`;
  if (code !== 'completion_unmet') return code;
  const unmet = extensions['unmet'] as readonly { readonly criterionId: string | null; readonly code: string }[];
  return new Map(unmet.map((one) => [one.criterionId ?? '', [one.code]]));
}

const answerText = (answer: Answer): string =>
  typeof answer === 'string' ? answer : `unmet: ${[...answer].map(([id, codes]) => `${id} ${codes.join('/')}`).join(', ')}`;

const answerWords = (answer: Answer): readonly string[] =>
  typeof answer === 'string' ? [answer] : [...answer.values()].flatMap((codes) => codes.map((code) => `completion_unmet ${code}`));

/** Of what is unmet the decider names one fault each; the reference knows all of them. */
function mustAnswer(expected: Answer, answer: Answer): void {
  const isSame =
    typeof expected === 'string' || typeof answer === 'string'
      ? expected === answer
      : expected.size === answer.size && [...answer].every(([id, codes]) => codes.every((code) => expected.get(id)?.includes(code)));
  if (!isSame) throw new Error(`the reference says ${answerText(expected)}, the decider ${answerText(answer)}`);
}
