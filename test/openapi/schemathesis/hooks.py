# What schemathesis needs to know of Lectern beside its descriptions: values of forms that it does not know, and which
# refusals of valid requests are right because no schema can tell the rule.
import os
import re

import schemathesis
from hypothesis import strategies as st

# The site of the test: nothing else is ever fetched.
site = os.environ["LECTERN_TEST_SITE"]
secure = site.replace("http://", "https://")

schemathesis.openapi.format(
    "uri",
    st.sampled_from([site, f"{site}install.html", f"{site}sitemap.xml", f"{secure}docs.git", f"{secure}sitemap.xml"]),
)
schemathesis.openapi.format("cron", st.sampled_from(["0 3 * * *", "*/5 * * * 1-5", "0 0 1 jan,jul *"]))
schemathesis.openapi.format("re2", st.sampled_from(["/guide/", "^https?://[^/]+/(a|b)/", ".*"]))

# Operation, field (of v1: the beginning of the sentence), and why no schema can tell.
UNTOLD = [
    (r"GET /api/v./projects/{slug}/search/(explain/)?", "filter_title", "it names one of the project's filters"),
    (r"GET /api/v./projects/{slug}/search/(explain/)?", "domain_filter", "it is a regular expression of RE2 where it is no filter's title"),
    (r"GET .*/analytics/\w+/", "start_date", "it depends on end_date and on today"),
    (r"GET /api/v2/projects/{slug}/chats/", "start_date|end_date", "they depend on each other, and a pattern does not know the days of a month"),
    (r"GET .*/analytics/\w+/", "end_date", "a pattern does not know how many days a month has"),
    (r"POST /api/v2/keys/", "expires_at", "it lies ahead"),
    (r"POST /api/v2/keys/", "projects", "they name projects that are there"),
    (r"(POST|PATCH) /api/v2/projects/.*", r"config\.sync\.schedule", "a line may never come due, as on 30 February"),
    (r"(POST|PATCH) /api/v2/projects/.*", r"config\.search\.filters", "titles are all different, patterns are RE2 of a bounded size"),
    (r"PATCH /api/v2/projects/{slug}/", "name", "it may be left out, but not be empty, and has no presence of its own"),
    (r"POST /api/v2/projects/", "name", "a project and its change are one message: a sentence says that a creation needs a name"),
    (r"POST /api/v2/openapi/validate/", "spec", "it takes either url or spec: a sentence"),
    (r"(POST|PATCH) /api/v2/projects/.*", "allowed_domains", "an expression with a length: a sentence"),
    (r"POST /api/v2/projects/{slug}/recrawl/", "url", "its host is one of the project's"),
    (r"GET /api/v2/projects/{slug}/pages/lookup/", "url", "a pattern does not know every address that a browser can read"),
    (r"POST /api/v2/projects/{slug}/sources/", r"spec|base_url", "an API description is one by its own specification"),
    (r"POST /api/v2/projects/{slug}/sources/", "url|space_key", "which are required depends on the type; a repository over http is read from hosts of LECTERN_CRAWL_ALLOW"),
    (r"POST /api/v2/projects/{slug}/sources/", r"credentials", "which there are depends on the type"),
    (r"POST /api/v2/projects/{slug}/sources/", r"include|exclude", "a glob's size as a program is bounded"),
    (r"POST /api/v2/projects/{slug}/(pages/match|test-url)/", r"source(_uuid)?$", "it takes a saved source, or the settings of one"),
    (r"POST /api/v2/projects/{slug}/(pages/match|test-url)/", r"source\.(credentials|url)", "which there are depends on the type"),
    (r"POST /api/v2/projects/{slug}/(pages/match|test-url)/", r"source\.(include|exclude)", "a glob's size as a program is bounded"),
    (r"POST /api/v1/projects/{slug}/sources/", "urls or sitemaps must name", "one of several parts must be there"),
    (r"POST /api/v1/projects/{slug}/sources/", r"sitemaps\[\d+\] must end in", "an expression without regard to case: a sentence"),
    (r"POST /api/v1/chats/", "project_slug: is required where chat_uuid is empty", "a rule on two fields: a sentence"),
    (r"POST /api/v1/projects/{slug}/sources/", "The body must be multipart/form-data", "a form without a part is none"),
    (r"POST /api/v./projects/{slug}/sources/", r"files|site_zip|site_name|base_url", "what a file holds, and which parts go with it"),
    (r"PATCH /api/v2/projects/{slug}/sources/.*", ".*", "which fields there are depends on the type of the source that is there"),
    (r"POST /api/v1/projects/{slug}/sources/sync/", "A sync of the project is running", "it depends on whether one runs"),
]


def fields_of(response):
    body = response.json()
    return list(body.get("fields") or {}) or [body.get("error", "")]


def is_untold(operation, field):
    return any(re.fullmatch(row, operation) and re.match(name, field) for row, name, _ in UNTOLD)


@schemathesis.check
def valid_request_is_taken(ctx, response, case):
    if not case.meta.generation.mode.is_positive or response.status_code not in (400, 405, 406, 413, 415, 422):
        return
    told = [field for field in fields_of(response) if not is_untold(case.operation.label, field)]
    if told:
        raise AssertionError(f"refused, though the description allows it: {response.text}")
