-- What a file of version 1 holds: the dump of one that the release with that version wrote.
CREATE TABLE schema_version (version INTEGER NOT NULL) STRICT;
INSERT INTO schema_version VALUES(1);
CREATE TABLE records (
		id          INTEGER PRIMARY KEY AUTOINCREMENT,
		time        INTEGER NOT NULL,
		kind        TEXT NOT NULL,
		task        TEXT NOT NULL,
		session     TEXT NOT NULL,
		role        TEXT NOT NULL,
		host        TEXT NOT NULL,
		tool        TEXT NOT NULL,
		dir         TEXT NOT NULL,
		command     TEXT NOT NULL,
		truncated   INTEGER NOT NULL,
		sha256      TEXT NOT NULL,
		decision    TEXT NOT NULL,
		rule        TEXT NOT NULL,
		reason      TEXT NOT NULL,
		approved_by TEXT NOT NULL,
		exit_code   INTEGER,
		duration    INTEGER NOT NULL
	) STRICT;
INSERT INTO records VALUES(1,1795176000000000,'decision','acme-web-x1y2z3','s1','implementer','h1','Bash','/work','git status',0,'e62b04aadf39df1a47b771265e4ae5c452df3f1903d5c263ab00f088e86102f6','allow','git.read','','',NULL,0);
INSERT INTO records VALUES(2,1795176000000000,'run','acme-web-x1y2z3','','','','','','make ''all''',0,'ba2e4346b673109670aa78deba497f0f645c1602cc0c1a36e23c7b8d055e027c','','','','',2,1500000000);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('records',2);
CREATE INDEX records_task ON records (task, id);
CREATE INDEX records_time ON records (time);
