import { mayEndSecretName, secretKindOf } from './secret-keys.js';
import { wordsOf } from './words.js';

const SECRET =
  'password passwd pwd Password user_password PGPASSWORD MYSQL_PWD passphrase secret client_secret clientSecret CLIENT-SECRET api_key apikey ' +
  'API_KEY x-api-key xApiKey token access_token accessToken refresh_token id_token auth_token github_token TELEGRAM_BOT_TOKEN ' +
  'X-Amz-Security-Token authorization Authorization proxy-authorization cookie set-cookie private_key privateKey credentials session_token ' +
  'csrf_token connection_string ConnectionString dsn SENTRY_DSN AWS_SECRET_ACCESS_KEY SecretAccessKey db.password spring.datasource.password ' +
  'password2 token_1 password_hash new_password DB_PASS smtp_pass account_key service_role_key webhook_secret secret_key secrets passwords';
const OPEN =
  'token_count max_tokens tokens tokenizer token_type password_policy secret_name next_page_token pageToken nextToken continuation_token ' +
  'public_key key keyboard author primary_key cache_key pad_token eos_token input_token pass passed bypass compass access_key_id ' +
  'has_password forgot_password passport secretary tokenize monkey cursor authority authenticated cookie_policy basic string secretHash';

describe('names of secret keys', () => {
  it.each(SECRET.split(' '))('%s holds a secret', (name) => {
    expect(secretKindOf(name)).not.toBeNull();
    expect(mayEndSecretName(name, name.length)).toBe(true);
  });

  it.each(OPEN.split(' '))('%s does not', (name) => {
    expect(secretKindOf(name)).toBeNull();
  });

  it.each([
    ['XMLHttpRequest', ['xml', 'http', 'request']],
    ['X-Api_Key v2', ['x', 'api', 'key', 'v']],
    ['token_1', ['token']],
    ['', []],
    ['___', []],
  ])('%s is the words %j', (name, words) => {
    expect(wordsOf(name)).toEqual(words);
  });
});
