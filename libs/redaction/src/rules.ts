import { mayEndSecretName, secretKindOf } from './keys/secret-keys.js';
import { assignments } from './text/assignments.js';
import { awsKeyIds } from './text/aws.js';
import { jsonWebTokens } from './text/jwt.js';
import { markupElements, passwordLiterals } from './text/markup.js';
import { curlUsers, httpClients, secretOptions } from './text/options.js';
import { privateKeys } from './text/pem.js';
import type { RuleSet } from './text/rule.js';
import { bareSchemes } from './text/schemes.js';
import { prefixedTokens } from './text/tokens.js';
import { botTokens, urlPasswords, urlSignatures, webhooks } from './text/url.js';

/** The rules in force. Each has a row in docs/redaction.md. The order matters where two have the same trigger: the first wins. */
export const RULES: RuleSet = {
  version: '1',
  kindOf: secretKindOf,
  mayEndName: mayEndSecretName,
  text: [
    privateKeys,
    urlPasswords,
    botTokens,
    urlSignatures,
    assignments,
    secretOptions,
    httpClients,
    curlUsers,
    markupElements,
    bareSchemes,
    jsonWebTokens,
    awsKeyIds,
    prefixedTokens,
    webhooks,
    passwordLiterals,
  ],
};
