// SPDX-License-Identifier: Apache-2.0

package diag

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
)

// A Code names a kind of diagnostic. It is stable: scripts and annotations may
// rely on it, so a code is never given to something else.
type Code string

// An Entry describes a code in the catalogue.
type Entry struct {
	Code  Code
	Name  string // the code in words, for people and for tools that show rule names
	Title string
	Cause string
	Fix   string // what to do if the diagnostic itself does not say
}

// The codes. Catalogue says what each means.
const (
	// Syntax of expressions.
	SyntaxError   Code = "E101"
	NotInLanguage Code = "E102"

	// Names.
	UnknownName     Code = "E201"
	UnknownKey      Code = "E202"
	UnknownEntry    Code = "E203"
	NoFields        Code = "E204"
	UnknownFunction Code = "E205"
	NoLambdaAround  Code = "E206"

	// Types.
	OperandType     Code = "E301"
	DivisionByZero  Code = "E302"
	Overflow        Code = "E303"
	NotComparable   Code = "E304"
	NotConcatenable Code = "E305"
	RangeBound      Code = "E306"
	IndexType       Code = "E307"
	KeyType         Code = "E308"
	TooLarge        Code = "E309"

	// Functions and lambdas.
	ArgumentCount       Code = "E401"
	ArgumentType        Code = "E402"
	ArgumentValue       Code = "E403"
	NotCallable         Code = "E404"
	LambdaArguments     Code = "E405"
	MappingOperand      Code = "E406"
	Required            Code = "E407"
	ErrorFunction       Code = "E408"
	EnvironmentVariable Code = "E409"
	CommandFailed       Code = "E410"
	FileFunction        Code = "E411"
	ComputedExpression  Code = "E412"
	EndlessComputation  Code = "E413"
	NotAllowed          Code = "E414"
	OwnFunction         Code = "E415"

	// Merge and stubs.
	NotInStubs       Code = "E501"
	InsertNoMap      Code = "E502"
	TemplateFailed   Code = "E503"
	TemplateRequired Code = "E504"

	// Cycles.
	Cycle Code = "E601"
	Waits Code = "E602"

	// Addresses.
	NotAnAddress Code = "E701"
	AddressRange Code = "E702"
	StaticIPs    Code = "E703"
	Auto         Code = "E704"

	// YAML.
	YAMLSyntax    Code = "E801"
	YAMLKey       Code = "E802"
	YAMLDocuments Code = "E803"

	// Files and the command line.
	FileRead   Code = "E901"
	StdinTwice Code = "E902"
	Usage      Code = "E903"
	Output     Code = "E904"
	Canceled   Code = "E905"
	BatchFile  Code = "E906"

	// Values of Go.
	NotDecodable Code = "E911"
	NotAValue    Code = "E912"

	// Warnings.
	UnusedStubKey      Code = "W101"
	DuplicateKey       Code = "W102"
	ScalarReplaced     Code = "W103"
	UnreachableDefault Code = "W104"
	BooleanWord        Code = "W105"
)

// A Group is a chapter of the catalogue.
type Group struct {
	Title   string
	Entries []Entry
}

// Catalogue is the table of all codes. docs/errors.md is written from it.
var Catalogue = []Group{
	{"Syntax of expressions", []Entry{
		{
			Code: SyntaxError, Name: "syntax-error",
			Title: "The expression does not parse",
			Cause: "The text between (( and )) is not an expression of the language.",
			Fix:   "Correct the text at the mark. Binary operators need blanks on both sides, texts need double quotes, brackets must be closed.",
		},
		{
			Code: NotInLanguage, Name: "not-in-language",
			Title: "The construct is reserved",
			Cause: "The expression parses, but it uses something that the language reserves and does not have, such as a slice.",
			Fix:   "Write it with what the language has: map[], sum[], or an index.",
		},
	}},
	{"Names", []Entry{
		{
			Code: UnknownName, Name: "unknown-name",
			Title: "A name is not known",
			Cause: "A reference begins with a name that is no key of the maps around the node, no parameter and no binding.",
			Fix:   `Correct the name, write the whole path of the key from the root, or give a default: (( name || "default" )).`,
		},
		{
			Code: UnknownKey, Name: "unknown-key",
			Title: "A map has no such key",
			Cause: "A step of a path names a key that the map before it does not have.",
			Fix:   `Correct the key, add it to the map, or give a default: (( a.b || "default" )).`,
		},
		{
			Code: UnknownEntry, Name: "unknown-entry",
			Title: "A list has no such entry",
			Cause: "A step of a path picks an entry by a name or an index that the list does not have.",
			Fix:   "Correct the name or the index. Entries are picked by .name, .key:value or .[index], and indices begin with 0.",
		},
		{
			Code: NoFields, Name: "no-fields",
			Title: "The value has no fields",
			Cause: "A path goes on behind a value that is neither a list nor a map.",
			Fix:   "Shorten the path, or make the value a map.",
		},
		{
			Code: UnknownFunction, Name: "unknown-function",
			Title: "There is no such function",
			Cause: "A name in front of brackets is no function of the language. A lambda of the document is called with a dot before its path: .f(x).",
			Fix:   "Correct the name, or write a dot before the path of a lambda.",
		},
		{
			Code: NoLambdaAround, Name: "no-lambda-around",
			Title: "There is no lambda around _",
			Cause: "The name _ stands for the lambda around it.",
			Fix:   "Use _ in the body of a lambda only, or give the lambda a name and call that.",
		},
	}},
	{"Types", []Entry{
		{
			Code: OperandType, Name: "operand-type",
			Title: "An operator cannot work on its operand",
			Cause: "Arithmetic needs numbers, or an IP address or network on the left.",
			Fix:   "Make the operand a number: remove quotes around digits, or pick the field that holds the number.",
		},
		{
			Code: DivisionByZero, Name: "division-by-zero",
			Title: "Division by zero",
			Cause: "The right operand of / or % is zero.",
			Fix:   "Check the divisor first: (( n == 0 ? 0 :x / n )).",
		},
		{
			Code: Overflow, Name: "integer-overflow",
			Title: "The result is beyond 64 bits",
			Cause: "Integers go from -9223372036854775808 to 9223372036854775807.",
			Fix:   "Use smaller numbers, or write one operand as a float (1.0).",
		},
		{
			Code: NotComparable, Name: "not-comparable",
			Title: "The operands cannot be compared",
			Cause: "<, <=, > and >= compare two integers or two texts; == and != simple values with each other, lists with lists, and maps with maps.",
			Fix:   "Compare values of the same kind.",
		},
		{
			Code: NotConcatenable, Name: "not-concatenable",
			Title: "The values cannot be put together",
			Cause: "Operands side by side are put together: texts and numbers to a text, lists to a list, maps to a map. A mixture is not possible.",
			Fix:   `Use join(", ", list) to make a text of a list, and [x] to make a list of one value.`,
		},
		{
			Code: RangeBound, Name: "range-bound",
			Title: "A range cannot be made",
			Cause: "The bounds of [a..b] are integers, and the list that the range stands for has a limit.",
			Fix:   "Make both bounds integers that are not too far apart.",
		},
		{
			Code: IndexType, Name: "index-type",
			Title: "The value cannot be an index",
			Cause: "An index in brackets is an integer, a text, or a list of both.",
			Fix:   "Use an integer that counts from 0, or the name of an entry or key as a text.",
		},
		{
			Code: KeyType, Name: "key-type",
			Title: "The value cannot be a key",
			Cause: "The keys of a map literal and of a scope are texts.",
			Fix:   `Write the key as a text: { "name" = 1 } or { $name = 1 }.`,
		},
		{
			Code: TooLarge, Name: "too-large",
			Title: "The result is too large",
			Cause: "A text, a list or the output would become larger than the limit.",
			Fix:   "Look for a range, a width or a concatenation in a mapping that grows more than was meant.",
		},
	}},
	{"Functions and lambdas", []Entry{
		{
			Code: ArgumentCount, Name: "argument-count",
			Title: "Wrong number of arguments",
			Cause: "The function takes fewer or more arguments.",
			Fix:   "Give the arguments that the signature names, separated by commas.",
		},
		{
			Code: ArgumentType, Name: "argument-type",
			Title: "An argument has the wrong type",
			Cause: "The function does not take values of this kind in this place.",
			Fix:   "Give a value of the kind that the signature names.",
		},
		{
			Code: ArgumentValue, Name: "argument-value",
			Title: "An argument has an unusable value",
			Cause: "The kind of the argument is right, its value is not: an invalid pattern, a missing key field, a format that cannot be filled.",
			Fix:   "Correct the value.",
		},
		{
			Code: NotCallable, Name: "not-callable",
			Title: "The value is no function",
			Cause: "What stands in front of the brackets, or what a mapping is to apply, is not a lambda.",
			Fix:   "Refer to a lambda, such as (( |x|->x + 1 )), or to the text of one with the keyword lambda.",
		},
		{
			Code: LambdaArguments, Name: "lambda-arguments",
			Title: "Too many arguments for a lambda",
			Cause: "A lambda takes as many arguments as it has parameters; with fewer it becomes a lambda of the others.",
			Fix:   "Give no more arguments than there are parameters.",
		},
		{
			Code: MappingOperand, Name: "mapping-operand",
			Title: "The mapping cannot be made",
			Cause: "map[] and sum[] go through a list or a map, with a lambda of a fitting number of parameters.",
			Fix:   "Give map[] a list or map and a lambda of one or two parameters, sum[] one of two or three.",
		},
		{
			Code: Required, Name: "required",
			Title: "A required value is missing",
			Cause: "The operand of require is null or undefined, or cannot be evaluated.",
			Fix:   `Set the value, or give a default: (( require(x) || "default" )).`,
		},
		{
			Code: ErrorFunction, Name: "error-function",
			Title: "The template gave up",
			Cause: "The expression called the function error, with which the author of a template refuses an input.",
			Fix:   "Do what the message says.",
		},
		{
			Code: EnvironmentVariable, Name: "environment-variable",
			Title: "An environment variable is not set",
			Cause: "The function env asks for a variable that the process does not have.",
			Fix:   `Set the variable, or give a default: (( env("NAME") || "default" )).`,
		},
		{
			Code: CommandFailed, Name: "command-failed",
			Title: "A command failed",
			Cause: "The command of the function exec could not be started or ended with an error.",
			Fix:   "Run the command by hand to see why; what it writes to standard error, if anything, stands above the report.",
		},
		{
			Code: FileFunction, Name: "file-function",
			Title: "A file could not be used",
			Cause: "The function read did not get the file, or its content is not what was asked for.",
			Fix:   `Correct the name; a relative one starts at the working directory. The second argument is "yaml" or "text".`,
		},
		{
			Code: ComputedExpression, Name: "computed-expression",
			Title: "A computed expression is wrong",
			Cause: "The text that eval or lambda was given is not an expression.",
			Fix:   "Leave out eval to see the text, and correct what computes it.",
		},
		{
			Code: EndlessComputation, Name: "endless-computation",
			Title: "The evaluation does not come to an end",
			Cause: "Calls nest too deep, or more instructions were run than any manifest needs: a lambda, a template or an eval calls itself without end.",
			Fix:   "Give the recursion a condition under which it stops.",
		},
		{
			Code: NotAllowed, Name: "not-allowed",
			Title: "The sandbox forbids this",
			Cause: "The merge runs with --sandbox, SPIFF_SANDBOX=1 or one of the flags --deny-exec, --deny-read, --deny-env, --allow-read, --allow-env, and the expression wants to do what they forbid.",
			Fix:   "If you trust who wrote the manifest, allow it with --allow-exec, --allow-read or --allow-env.",
		},
		{
			Code: OwnFunction, Name: "own-function",
			Title: "A function of the program fails",
			Cause: "The function is none of the language; the program that merges defines it. Its message says what is wrong.",
			Fix:   "Do what the message says, or look up the function where the program describes it.",
		},
	}},
	{"Merge and stubs", []Entry{
		{
			Code: NotInStubs, Name: "not-in-stubs",
			Title: "No stub has the value",
			Cause: "The node says merge, so it takes its value from a stub, and no stub has a value at that path.",
			Fix:   `Add the value to a stub, or give a default: (( merge || "default" )).`,
		},
		{
			Code: InsertNoMap, Name: "insert-no-map",
			Title: "<< does not give a map",
			Cause: "In a map, the value of << must be a map, whose entries are inserted.",
			Fix:   "Give << a map. In a list, write << as an entry of its own: - <<: (( list )).",
		},
		{
			Code: TemplateFailed, Name: "template-failed",
			Title: "An instance of a template or file failed",
			Cause: "Nodes in the copy that *template or read made could not be resolved.",
			Fix:   "Correct the nodes named below; they are evaluated at the place of use.",
		},
		{
			Code: TemplateRequired, Name: "template-required",
			Title: "The value is no template",
			Cause: "The operator * makes an instance of a template, a node marked with &template.",
			Fix:   "Mark the node: <<: (( &template )) in a map, or (( &template(...) )).",
		},
	}},
	{"Cycles", []Entry{
		{
			Code: Cycle, Name: "cycle",
			Title: "Nodes wait for each other",
			Cause: "Each of the nodes needs the value of the next, and the last that of the first.",
			Fix:   "Break the cycle: replace one of the references by a value, or by merge.",
		},
		{
			Code: Waits, Name: "waits",
			Title: "A node waits for one that has no value",
			Cause: "What the node refers to cannot be resolved.",
			Fix:   "Correct the error that it waits for.",
		},
	}},
	{"Addresses", []Entry{
		{
			Code: NotAnAddress, Name: "not-an-address",
			Title: "The text is no IP address or network",
			Cause: "An address or a network in CIDR notation is needed, such as 10.0.0.1 or 10.0.0.0/24.",
			Fix:   "Correct the address.",
		},
		{
			Code: AddressRange, Name: "address-range",
			Title: "The address is out of range",
			Cause: "The result would be no address any more, or lie outside of its network.",
			Fix:   "Use a smaller offset or a larger network.",
		},
		{
			Code: StaticIPs, Name: "static-ips",
			Title: "Static addresses cannot be picked",
			Cause: "static_ips needs, around the node, the name of a network and the number of instances, and in .networks enough static addresses.",
			Fix:   "Add addresses to the static ranges of the network, or correct the offsets and the number of instances.",
		},
		{
			Code: Auto, Name: "auto",
			Title: "auto cannot be computed",
			Cause: "auto sums the instances of the jobs that use a resource pool, as the size of that pool.",
			Fix:   "Use auto only in resource_pools, for the field size, in a document with a list of jobs.",
		},
	}},
	{"YAML", []Entry{
		{
			Code: YAMLSyntax, Name: "yaml-syntax",
			Title: "The file is not YAML",
			Cause: "The YAML reader found something that it cannot be at this place.",
			Fix:   "Correct the text at the mark; check the indentation and the quotes there and on the lines before.",
		},
		{
			Code: YAMLKey, Name: "yaml-key",
			Title: "A key is not a text",
			Cause: "The keys of maps must be texts. Plain words such as on, y, ~ and 1 are not.",
			Fix:   "Put the key in quotes.",
		},
		{
			Code: YAMLDocuments, Name: "yaml-documents",
			Title: "Too many documents",
			Cause: "A stub is a single YAML document; a template may have several.",
			Fix:   "Write each document to a file of its own and name all of them as stubs.",
		},
	}},
	{"Files and the command line", []Entry{
		{
			Code: FileRead, Name: "file-read",
			Title: "A file cannot be read",
			Cause: "The file does not exist, is a folder, or may not be read.",
			Fix:   "Correct the name or the permissions.",
		},
		{
			Code: StdinTwice, Name: "stdin-twice",
			Title: "The standard input is used twice",
			Cause: "Only one of the files can be -, the standard input.",
			Fix:   "Save one of them in a file.",
		},
		{
			Code: Usage, Name: "usage",
			Title: "The command line is wrong",
			Cause: "A command, a flag or an argument is unknown or missing.",
			Fix:   "See spiff COMMAND --help.",
		},
		{
			Code: Output, Name: "output",
			Title: "The result cannot be written",
			Cause: "The output is larger than the limit, or it cannot be written where it should go.",
			Fix:   "Check the target, or look for what made the manifest so large.",
		},
		{
			Code: Canceled, Name: "canceled",
			Title: "The merge was ended early",
			Cause: "The program that merges ended it, or gave it less time than it takes. What it would have resulted in is not known.",
			Fix:   "Merge again, or give it more time.",
		},
		{
			Code: BatchFile, Name: "batch-file",
			Title: "A batch file does not say what to merge",
			Cause: "It lacks what a target needs, has keys that a target does not have, or its targets get in the way of each other.",
			Fix:   "Write a list of targets, each with a template and an output of its own; docs/scale.md describes the keys.",
		},
	}},
	{"Values of Go", []Entry{
		{
			Code: NotDecodable, Name: "not-decodable",
			Title: "A value does not fit the Go type",
			Cause: "A program decodes a document into a type of Go that has no room for what stands there.",
			Fix:   "Correct the value, or the type in the program.",
		},
		{
			Code: NotAValue, Name: "not-a-value",
			Title: "A value of Go has no counterpart",
			Cause: "A program makes a document of a Go value with a part that YAML does not have, such as a function or a key that is no string.",
			Fix:   "Leave that part out, or give its type a method MarshalYAML or MarshalText.",
		},
	}},
	{"Warnings", []Entry{
		{
			Code: UnusedStubKey, Name: "unused-stub-key",
			Title: "Nothing uses a key of a stub",
			Cause: "A stub changes what the template has. A key that the template does not have, and that no merge asks for, has no effect: often it is misspelt.",
			Fix:   "Correct the key, add it to the template, or remove it from the stub.",
		},
		{
			Code: DuplicateKey, Name: "duplicate-key",
			Title: "A key is written twice",
			Cause: "Only the last of equal keys in a map counts.",
			Fix:   "Remove one of them.",
		},
		{
			Code: ScalarReplaced, Name: "scalar-replaced",
			Title: "A structure replaces a simple value",
			Cause: "The template has a simple value where the stub has a list or a map. The stub wins, and the kind of the node changes.",
			Fix:   "If that is meant, write (( merge )) in the template; else correct the stub.",
		},
		{
			Code: UnreachableDefault, Name: "unreachable-default",
			Title: "A default is never used",
			Cause: "The operand in front of || can neither fail nor be undefined.",
			Fix:   "Remove the default, or put a reference or merge in front of it. A null is replaced by //, not by ||.",
		},
		{
			Code: BooleanWord, Name: "boolean-word",
			Title: "A word is a boolean",
			Cause: "In YAML 1.1 the plain words y, n, on, off and NO are true or false. They are rarely meant to be.",
			Fix:   "Put the word in quotes if it is a text; else write true or false.",
		},
	}},
}

var byCode = sync.OnceValue(func() map[Code]*Entry {
	m := map[Code]*Entry{}
	for i := range Catalogue {
		for j := range Catalogue[i].Entries {
			e := &Catalogue[i].Entries[j]
			m[e.Code] = e
		}
	}
	return m
})

// Lookup returns the entry of a code, or nil.
func (c Code) Lookup() *Entry { return byCode()[c] }

// WriteCatalogue writes the catalogue as Markdown, the text of docs/errors.md.
func WriteCatalogue(w io.Writer) {
	fmt.Fprint(w, "# Errors and warnings\n\n"+
		"Every diagnostic has a code that stays the same from release to release.\n"+
		"`spiff explain CODE` prints the part of this list about it. The list is made\n"+
		"from the table in `diag/code.go`.\n")
	for _, g := range Catalogue {
		fmt.Fprintf(w, "\n## %s\n", g.Title)
		for _, e := range g.Entries {
			fmt.Fprintf(w, "\n### %s %s\n\n%s.\n\nCause: %s\n\nFix: %s\n", e.Code, e.Name,
				markdown(e.Title), markdown(e.Cause), markdown(e.Fix))
		}
	}
}

// markdown escapes what Markdown would take for markup.
var markdown = strings.NewReplacer("<", "&lt;", "_", `\_`, "*", `\*`, "|", `\|`, "[", `\[`).Replace

// Coded gives an error a code; its text stays the same.
func Coded(c Code, err error) error { return &coded{c, err} }

type coded struct {
	code Code
	error
}

func (e *coded) Unwrap() error { return e.error }

// CodeOf returns the code of an error, or "" if it has none.
func CodeOf(err error) Code {
	var d *Diagnostic
	if errors.As(err, &d) {
		return d.Code
	}
	var c *coded
	if errors.As(err, &c) {
		return c.code
	}
	return ""
}
