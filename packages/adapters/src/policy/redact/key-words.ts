/**
 * The words that name credentials in identifiers: parameters, JSON keys, headers, cookies, form fields, settings.
 *
 * Written in lower case without accents and separators, as `classifyKey` compares them. Labels for people, in many
 * languages, are in `field-labels.ts`.
 */

const list = (words: string): readonly string[] => words.trim().split(/\s+/);

/** Passwords: any value is one. Found anywhere in the joined identifier. */
export const passwordParts = list(`
  password passwd passwrd passwort passphrase passcode wachtwoord kennwort losenord adgangskode salasana jelszo contrasen motdepasse parool katasandi matkhau lozinka slaptazod zaporka mnemonic seedphrase
`);

/** Passwords: only as a whole word of the identifier, since other words contain them. */
export const passwordWords: ReadonlySet<string> = new Set(
  list(
    'pwd psw pswd pword passw passwords mdp sifre parola parole haslo heslo senha geslo kodeord clave passan passid',
  ),
);

/** Keys and tokens: the joined identifier ends with one of these. */
export const secretEndings = list(`
  passkey authkey apikey rsskey nzbkey feedkey userkey seckey secretkey privatekey accesskey torrentkey downloadkey
  downkey irckey announcekey signingkey encryptionkey masterkey clientkey appkey subscriptionkey licensekey
  sessionkey rememberkey invitekey invitenumber invitecode invitetoken sharedkey hashkey
  torrentpass secret clientsecret token jwt bearer apitoken logouthash sessionhash passhash memberidhash downhash
  hashplease loginhash formhash bbpassword securitycode privatepass authcode authsecret otpsecret bosskey usertoken
  sessid sessionfront csrf xsrf credentials credential cfclearance cfbm passcookie accesscode activationcode
  salt
`);

/** One-time codes: found anywhere in the joined identifier. */
export const codeParts = list(
  '2fa twofa twofactor 2factor twostep totp onetimecode onetimepass verificationcode verifycode smscode bestatigungscode',
);

/** One-time codes: only as a whole word. */
export const codeWords: ReadonlySet<string> = new Set(list('pin otp mfa tfa cvv cvc tan'));

/** Codes that stand in for a second factor, usually printed as a list. */
export const recoveryParts = list('recoverycode recoverykey backupcode backupkey scratchcode emergencycode resetcode');

/** The word "key" in languages whose labels are found by their Latin letters. */
export const keyNouns: ReadonlySet<string> = new Set(
  list('key cle clave chave chiave llave klucz kulcs sleutel schlussel nyckel anahtar anahtari klic'),
);

/** What makes a credential of a key. */
export const keyOwners: ReadonlySet<string> = new Set(
  list('api rss auth pass user secret private access torrent download feed announce invite client master encryption'),
);

/** Ambiguous names: a credential only when the value looks like one. Whole words, the last of the identifier. */
export const weakWords: ReadonlySet<string> = new Set(
  list(
    'key keys cle chave chiave llave klucz kulcs sleutel schlussel nyckel anahtar anahtari klic pid rid auth sign signature sig api tokens code credentials credential invite invitation nonce state passwords secrets cookies ticket',
  ),
);

/** Sessions: as weak ones, and a UUID stays, since operators need it to follow a session. Anywhere in the words. */
export const sessionWords: ReadonlySet<string> = new Set(list('session sessionid sess sid sessions'));

/** Words that make an identifier speak *about* a credential: then only a value that looks like one goes. */
export const aboutWords: ReadonlySet<string> = new Set(
  list(`
    use used using get has have is show hide max min num no count length len size type types kind version ver present
    required expires expiry expire expired expiration ttl age policy hint label field placeholder url uri endpoint page
    lifetime enabled disabled status state valid invalid reset forgot lost remember remembered changed updated created
    date time timeout sort order algorithm alg method mode format strength rules error errors prefix id ids list limit
    remaining left total free path file dir header name names input button form protection host scheme
    index search generate generator manager public
  `),
);

/** Identifiers that look like credentials and are public by their nature. */
export const publicKeys: ReadonlySet<string> = new Set(
  list(`
    infohash infohashes torrenthash contenthash filehash blockhash publickey sitekey pubkey primarykey foreignkey keyid
    hashes keyframe keyframes keyboard keypress hotkey monkey turkey donkey whiskey jockey hockey mickey bypass compass
    trespass surpass overpass underpass passthrough author authors authority authentic keyword keywords keyint
    keyspace codec codecs decode encode mode node barcode unicode postcode zipcode countrycode languagecode statuscode
    errorcode exitcode rescode respcode resultcode httpcode responsecode sourcecode qrcode shortcode signin signup signal
    design assign resign cookiepolicy cookieconsent pinned pins ping signedin sortkey orderkey partitionkey cachekey rowkey
    tracestate authsource authkind episode hash
  `),
);
