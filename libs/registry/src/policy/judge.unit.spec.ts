import fc from 'fast-check';
import { SideEffectClass, type Policy, type PolicyRule } from '@counterfoil/contracts';
import { directoryAfter, givenRegistry, registering, retiring, settingPolicy, TOOL } from '@counterfoil/testing';
import { judgeOf, type JudgedTool } from './judge.js';

const rule = (id: string, then: PolicyRule['then'], change: Partial<PolicyRule['match']> = {}, expiresSeconds?: number): PolicyRule => ({
  id,
  match: { source: '*', name: '*', ...change },
  then,
  ...(expiresSeconds === undefined ? {} : { expiresSeconds }),
});

const tool = (change: Partial<JudgedTool> = {}): JudgedTool => ({ ...TOOL, sideEffects: 'filesystem', known: true, ...change });
const policy = (rules: readonly PolicyRule[], unknownTools: Policy['unknownTools'] = 'allow'): Policy => ({
  rules: [...rules],
  unknownTools,
});

describe('a policy', () => {
  it('asks for nothing where no rule matches', () => {
    expect(judgeOf(policy([]))(tool())).toEqual({ then: 'allow', reasons: [], expiresSeconds: null });
    expect(judgeOf(policy([rule('r', 'refuse', { name: 'other' })]))(tool()).then).toBe('allow');
  });

  it('takes the strictest of all rules that match, and names each that asked', () => {
    const judge = judgeOf(
      policy([
        rule('approve-all', 'require_approval', {}, 900),
        rule('refuse-writes', 'refuse', { name: 'write_*' }, 5),
        rule('approve-files', 'require_approval', { source: 'mcp:files' }, 60),
        rule('other', 'refuse', { source: 'mcp:mail' }),
        rule('no-time', 'require_approval'),
      ]),
    );
    expect(judge(tool())).toEqual({
      then: 'refuse',
      reasons: [
        { code: 'policy_requires_approval', ruleId: 'approve-all' },
        { code: 'policy_refuses', ruleId: 'refuse-writes' },
        { code: 'policy_requires_approval', ruleId: 'approve-files' },
        { code: 'policy_requires_approval', ruleId: 'no-time' },
      ],
      expiresSeconds: 60,
    });
    expect(judge(tool({ name: 'read' }))).toMatchObject({ then: 'require_approval', expiresSeconds: 60 });
    expect(judge(tool({ source: 'x', name: 'read' }))).toMatchObject({ then: 'require_approval', expiresSeconds: 900 });
  });

  it('matches classes, source and name together', () => {
    const judge = judgeOf(policy([rule('r', 'refuse', { source: 'mcp:*', sideEffects: ['destructive', 'remote'] })]));
    expect(judge(tool({ sideEffects: 'destructive' })).then).toBe('refuse');
    expect(judge(tool({ sideEffects: 'remote' })).then).toBe('refuse');
    expect(judge(tool({ sideEffects: 'read_only' })).then).toBe('allow');
    expect(judge(tool({ sideEffects: 'remote', source: 'builtin' })).then).toBe('allow');
  });

  it.each([
    ['allow', 'allow', []],
    ['require_approval', 'require_approval', [{ code: 'policy_requires_approval', ruleId: null }]],
    ['refuse', 'refuse', [{ code: 'policy_refuses', ruleId: null }]],
  ] as const)('that says %s of unknown tools says so of those only', (unknownTools, then, reasons) => {
    const judge = judgeOf(policy([], unknownTools));
    expect(judge(tool({ known: false }))).toEqual({ then, reasons, expiresSeconds: null });
    expect(judge(tool())).toEqual({ then: 'allow', reasons: [], expiresSeconds: null });
  });

  it('judges an unknown tool by its rules too', () => {
    const judge = judgeOf(policy([rule('r', 'refuse', { sideEffects: ['destructive'] })], 'require_approval'));
    expect(judge(tool({ known: false, sideEffects: 'destructive' }))).toMatchObject({
      then: 'refuse',
      reasons: [
        { code: 'policy_refuses', ruleId: 'r' },
        { code: 'policy_requires_approval', ruleId: null },
      ],
    });
  });
});

describe('setting a policy', () => {
  it('makes a new version, counted from 1; the same again adds nothing', () => {
    const first = settingPolicy({ rules: [rule('r', 'refuse')] });
    givenRegistry()
      .when(first)
      .then({ type: 'PolicySet', data: { workspaceId: 'w1', version: 1, rules: [rule('r', 'refuse')], unknownTools: 'allow' } })
      .when(first)
      .thenNothing()
      .when(settingPolicy({ unknownTools: 'refuse' }))
      .then({ type: 'PolicySet', data: { version: 2 } })
      .when(first)
      .then({ type: 'PolicySet', data: { version: 3 } });
  });

  it('that says nothing is a version too', () => {
    givenRegistry()
      .when(settingPolicy())
      .then({ type: 'PolicySet', data: { version: 1 } })
      .when(settingPolicy())
      .thenNothing();
  });

  it('refuses a secret in a rule', () => {
    for (const match of [{ source: 'https://u:FAKE-pass-1@example.test/*' }, { name: '*ghp_FAKE567890abcdefghijklmnopqrstuvwxyz*' }]) {
      givenRegistry()
        .when(settingPolicy({ rules: [rule('r', 'refuse', match)] }))
        .thenRefused('identifier_is_secret');
    }
  });

  it('holds from then on, also for tools that are retired', () => {
    const commands = [registering(), settingPolicy({ unknownTools: 'refuse' })];
    expect(directoryAfter(...commands)).toMatchObject({ revision: '1', policyVersion: 1 });
    expect(directoryAfter()).toMatchObject({ revision: null, policyVersion: null });
    const judge = (directory: ReturnType<typeof directoryAfter>): string => {
      const known = directory.find(TOOL.source, TOOL.name) !== null;
      return directory.judge(tool({ known })).then;
    };
    expect(judge(directoryAfter(...commands))).toBe('allow');
    expect(judge(directoryAfter(...commands, retiring()))).toBe('refuse');
  });
});

const STRICTNESS = { allow: 0, require_approval: 1, refuse: 2 } as const;

describe('policies: properties', () => {
  const glob = fc.oneof(
    fc.constantFrom('*', 'mcp:*', 'a', 'ab', '*b', 'a*b', 'builtin'),
    fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 4 }),
  );
  const word = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 4 });
  const match = fc.record(
    { source: glob, name: glob, sideEffects: fc.subarray([...SideEffectClass.options], { minLength: 1 }) },
    { requiredKeys: ['source', 'name'] },
  );
  const anyRule = fc.record(
    {
      id: fc.uuid(),
      match,
      then: fc.constantFrom('refuse' as const, 'require_approval' as const),
      expiresSeconds: fc.integer({ min: 1, max: 604_800 }),
    },
    { requiredKeys: ['id', 'match', 'then'] },
  );
  const unknownTools = fc.constantFrom('allow' as const, 'require_approval' as const, 'refuse' as const);
  const rules = fc.array(anyRule, { maxLength: 6 });
  const judged = fc.record({ source: word, name: word, sideEffects: fc.constantFrom(...SideEffectClass.options), known: fc.boolean() });

  it('another rule never makes a verdict weaker, an approval longer, or a reason go', () => {
    fc.assert(
      fc.property(rules, anyRule, unknownTools, judged, fc.nat(), (some, added, unknown, asked, at) => {
        const before = judgeOf(policy(some, unknown))(asked);
        const place = at % (some.length + 1);
        const after = judgeOf(policy([...some.slice(0, place), added, ...some.slice(place)], unknown))(asked);
        expect(STRICTNESS[after.then]).toBeGreaterThanOrEqual(STRICTNESS[before.then]);
        expect(after.expiresSeconds ?? Infinity).toBeLessThanOrEqual(before.expiresSeconds ?? Infinity);
        expect(after.reasons).toEqual(expect.arrayContaining([...before.reasons]));
      }),
      { numRuns: 2_000 },
    );
  });

  it('a class grants nothing: whichever it is, the verdict is at least that of the rules that ask for no class (behaviours 42, 61)', () => {
    fc.assert(
      fc.property(rules, unknownTools, judged, (some, unknown, asked) => {
        const classless = judgeOf(
          policy(
            some.filter((each) => each.match.sideEffects === undefined),
            unknown,
          ),
        );
        const verdicts = SideEffectClass.options.map((sideEffects) => classless({ ...asked, sideEffects }));
        for (const [at, sideEffects] of SideEffectClass.options.entries()) {
          expect(verdicts[at]).toEqual(verdicts[0]);
          const verdict = judgeOf(policy(some, unknown))({ ...asked, sideEffects });
          expect(STRICTNESS[verdict.then]).toBeGreaterThanOrEqual(STRICTNESS[verdicts[0]?.then ?? 'refuse']);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('gives every reason for its verdict, and none for another', () => {
    fc.assert(
      fc.property(rules, unknownTools, judged, (some, unknown, asked) => {
        const verdict = judgeOf(policy(some, unknown))(asked);
        const codes = verdict.reasons.map(({ code }) => code);
        expect(verdict.then === 'refuse').toBe(codes.includes('policy_refuses'));
        expect(verdict.then === 'allow').toBe(codes.length === 0);
      }),
      { numRuns: 1_000 },
    );
  });
});
