/** The thread for questions about large items. */
import { serveEach } from "#/src/threads/serve-each.ts";
import { answerQuestion } from "./item-questions.ts";

serveEach(answerQuestion);
